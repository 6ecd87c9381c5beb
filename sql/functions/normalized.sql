-- Text in the form in which names and words are compared.
create function aimemory.normalized(input text)
returns text
language sql immutable parallel safe
return btrim(regexp_replace(lower(normalize(input, nfkc)), '\s+', ' ', 'g'));

comment on function aimemory.normalized is
    'Unicode NFKC, lower case, single spaces: the form in which names and words are compared.';
