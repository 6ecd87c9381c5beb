-- How well recall did, day by day, as the log has it.
create view aimemory.recall_quality with (security_invoker = true) as
select l.recalled_at::date as day,
       count(*) as recalls,
       avg((jsonb_array_length(l.candidates) = 0)::integer) as nothing_found_share,
       avg(l.degraded::integer) as degraded_share,
       avg(jsonb_array_length(l.candidates)) as mean_hits,
       avg((cardinality(l.injected_ids) > 0)::integer) as injected_share,
       avg(l.token_count) as mean_tokens,
       percentile_cont(0.5) within group (order by l.latency_ms) as p50_latency_ms,
       percentile_cont(0.95) within group (order by l.latency_ms) as p95_latency_ms
  from aimemory.recall_log l
 group by l.recalled_at::date;

comment on view aimemory.recall_quality is
    'What recall found and how long it took, one row a day of the log; it reads the whole log.';
comment on column aimemory.recall_quality.day is 'In the time zone of the session that asks.';
comment on column aimemory.recall_quality.recalls is 'How many questions were logged.';
comment on column aimemory.recall_quality.nothing_found_share is
    'The share of them, 0 to 1, that found nothing.';
comment on column aimemory.recall_quality.degraded_share is
    'The share that had to do without meaning, as the embedding model was out of reach.';
comment on column aimemory.recall_quality.mean_hits is 'Memories found for a question, on average.';
comment on column aimemory.recall_quality.injected_share is
    'The share that put a memory into the prompt; a plain search puts none.';
comment on column aimemory.recall_quality.mean_tokens is
    'Mean length of the prompt blocks in tokens; null: there were none.';
comment on column aimemory.recall_quality.p50_latency_ms is 'Half took at most so many milliseconds.';
comment on column aimemory.recall_quality.p95_latency_ms is
    '95 of 100 took at most so many milliseconds.';
