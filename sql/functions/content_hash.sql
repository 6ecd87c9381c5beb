-- A fingerprint that is equal when two sentences differ in nothing that matters:
-- case, width, spaces and sentence punctuation.
--
-- A sign that changes a number or a word is kept: 3.5 is not 35, -5 is not 5,
-- C++ is not C, and "a nice day" is not "an ice day".
create function aimemory.content_hash(content text)
returns text
language sql immutable parallel safe
begin atomic
    with plain as (
        select regexp_replace(
                   regexp_replace(
                       aimemory.normalized(content),
                       '[，。！？；：、"“”‘’「」『』《》（）()…～·!?;]|[.,:''-](?![0-9])', '', 'g'),
                   '(?<![a-z0-9]) | (?![a-z0-9])', '', 'g') as text
    )
    select encode(sha256(convert_to(
               case when p.text = '' then content else p.text end, 'UTF8')), 'hex')
      from plain p;
end;

comment on function aimemory.content_hash is
    'SHA-256 of a text without case, spaces and sentence punctuation; equal means said again.';
