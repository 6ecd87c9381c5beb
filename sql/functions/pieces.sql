-- The pieces of a text in reading order: one per character of a script that is
-- written without spaces, one per word of any other script, one per emoji.
--
-- Stock PostgreSQL makes one lexeme of a whole Chinese sentence. Telling the
-- two kinds of script apart here is all it takes to search both; the ranges are
-- spelled out because \w depends on the locale of the database. "glued" tells
-- whether a piece follows the one before without a gap. string_to_table keeps
-- this linear: substr() on a long run would walk it again for every character.
create function aimemory.pieces(input text)
returns table (place bigint, piece text, spaced boolean, glued boolean)
language sql immutable parallel safe rows 40
begin atomic
    with runs as (
        select r.run, r.run_no
          from regexp_matches(
                   aimemory.normalized(input),
                   -- Han, kana, Hangul, Thai, Lao, Khmer, Burmese
                   '([\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af'
                   || '\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff]+)'
                   -- emoji and pictographs
                   || '|([\u2600-\u27bf\U0001f000-\U0001faff])'
                   -- a word: c++ and c#, or anything but space, punctuation and the above;
                   -- the endings of it's, I'm and don't are left out
                   || '|([a-z](?:\+\+|#)(?![a-z0-9])|[^\s\u0000-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7'
                   || '\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf'
                   || '\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe00-\ufe6f\ufeff\uff00-\uffef'
                   || '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ue000-\uf8ff'
                   || '\U0001f000-\U0003ffff\U000e0000-\U000e0fff]+)'
                   || '(?:[''\u2019](?:s|m|re|ve|ll|d|t)(?![a-z0-9]))?',
                   'g') with ordinality as r(run, run_no)
    ), characters as (
        select r.run_no, c.nth, c.character as piece, false as spaced
          from runs r
         cross join lateral string_to_table(r.run[1], null) with ordinality as c(character, nth)
         where r.run[1] is not null
        union all
        select r.run_no, 1, coalesce(r.run[2], left(r.run[3], 128)), r.run[3] is not null
          from runs r
         where r.run[1] is null
    )
    select row_number() over (order by c.run_no, c.nth), c.piece, c.spaced, c.nth > 1
      from characters c;
end;

comment on function aimemory.pieces is
    'A text cut into characters (Chinese, Japanese, Korean, Thai …), words (other scripts), emoji.';
