/** Activity for exports to auditors: in the order of transactions, with entries that are counted for a minute. */
import { statements } from "./statements.ts"

export const activityAudit = statements([
  // The transaction that wrote an entry: entries below every open transaction are complete, and none is added to them.
  `alter table activity add column recorded_xid xid8 not null default pg_current_xact_id()`,
  `create index activity_recorded on activity (organization_id, recorded_xid, id)`,

  // The key that is counted, and until when: the end of a minute by the database's clock.
  `alter table activity
    add column tallied_as text,
    add column tallied_until timestamptz,
    add check ((tallied_as is null) = (tallied_until is null))`,
  `create unique index activity_tallied on activity (organization_id, tallied_as, tallied_until)
    where tallied_as is not null`
])
