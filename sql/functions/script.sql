-- Which of the two scales of a model a text is read on.
--
-- The cosines of one model differ by script: multilingual-e5-small gives unrelated
-- Chinese sentences what it gives a good English match.
create function aimemory.script(input text)
returns text
language sql immutable parallel safe
return case
    when input ~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]' then 'cjk'
    else 'other'
end;

comment on function aimemory.script is
    'cjk for a text with Chinese, Japanese or Korean in it, other for the rest.';
