/** The trace that an event belongs to, as a W3C `traceparent`, null where nobody records spans: for attempts after the first. */
import { statements } from "./statements.ts"

export const eventTraces = statements([
  `alter table event add column trace text`,
  // Not looked for in the events that are there, all of which would have to be read while nobody may write one: they have none.
  `alter table event add constraint event_trace_check check (length(trace) <= 256) not valid`
])
