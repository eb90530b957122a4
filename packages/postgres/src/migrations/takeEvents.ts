/**
 * The function that takes events from the outbox. It returns a row for each event, and then one for each endpoint of their
 * organizations: the columns of the other kind are null. A function, so that it is one wait for the caller, and so that its plans are made
 * with no other choice than the indexes: a plan stays in use when its statistics are outdated, and an outbox that was empty when a
 * statement was planned can be long a minute later. Each is planned once a connection, not once for the events of each call: over a year of
 * partitions that took longer than the reads.
 *
 * It does not wait for the disk: if a crash undoes a take, nothing of its events was written, and they can be taken again. Endpoints are
 * read by a later statement than the events, which has a snapshot of its own, so none that is older than an event is missed.
 */
export const TAKE_EVENTS = (schema: string) => `
  create function take_events(most integer, lease_seconds double precision)
  returns table (event_id uuid, attempt integer, token uuid, record ${schema}.event, recipient ${schema}.webhook_endpoint)
  language plpgsql rows 100 set search_path = pg_catalog, pg_temp set enable_sort = off set enable_bitmapscan = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
  #variable_conflict use_column
  declare
    fresh constant uuid := gen_random_uuid();
    ids uuid[];
    attempts integer[];
  begin
    perform set_config('synchronous_commit', 'off', true);
    with taken as (
      update ${schema}.event_outbox set
        taken_by = fresh, taken_until = clock_timestamp() + lease_seconds * interval '1 second', attempt = attempt + 1
      where ctid = any(array(
        select ctid from ${schema}.event_outbox where taken_until is null or taken_until <= now()
        order by event_id limit most for update skip locked
      ))
      returning event_id, attempt
    )
    select array_agg(event_id order by event_id), array_agg(attempt order by event_id) into ids, attempts from taken;
    if ids is null then return; end if;
    return query
      select taken.id, taken.attempt, fresh, event, null::${schema}.webhook_endpoint
      from unnest(ids, attempts) as taken (id, attempt) left join ${schema}.event on event.id = taken.id;
    return query
      select null::uuid, null::integer, null::uuid, null::${schema}.event, webhook_endpoint from ${schema}.webhook_endpoint
      where organization_id = any(array(select organization_id from ${schema}.event where id = any(ids)))
        and status <> 'deleted';
  end
  $$`
