/**
 * Events that are still to be dispatched, with their leases. No index has a column that changes, and a page has room
 * for what each of its rows becomes when it is taken, so that taking an event leaves the index alone. Rows come and go by the
 * thousand a second, so dead ones are cleared by their number and not by their share.
 */
import { statements } from "./statements.ts"

export const eventOutbox = statements([
  `create table event_outbox (
    event_id uuid primary key,
    taken_by uuid,
    taken_until timestamptz,
    attempt integer not null default 0
  ) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`
])
