-- What each route of recall found, day by day, as the log has it.
create view aimemory.route_contribution with (security_invoker = true) as
with logged as (
    select l.recalled_at::date as day, l.injected_ids, l.candidates
      from aimemory.recall_log l
)
select l.day, r.route,
       count(*) as hits,
       count(*) filter (where cardinality(c.routes) = 1) as only_here,
       avg(c.score) as mean_score,
       avg((c.memory_id = any (l.injected_ids))::integer) as injected_share
  from logged l
 cross join lateral jsonb_to_recordset(l.candidates)
            as c(memory_id uuid, score double precision, routes text[])
 cross join lateral unnest(c.routes) as r(route)
 group by l.day, r.route;

comment on view aimemory.route_contribution is
    'What each route of recall found, one row a day and route; it reads the whole log.';
comment on column aimemory.route_contribution.day is 'In the time zone of the session that asks.';
comment on column aimemory.route_contribution.route is 'vector, keyword, entity or archive.';
comment on column aimemory.route_contribution.hits is 'How many hits it had a part in.';
comment on column aimemory.route_contribution.only_here is 'How many of them no other route found.';
comment on column aimemory.route_contribution.mean_score is 'The mean of their scores.';
comment on column aimemory.route_contribution.injected_share is
    'The share of them, 0 to 1, that was put into the prompt.';
