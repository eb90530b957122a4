/** The trace that an event belongs to, as a W3C `traceparent`, null where nobody records spans: for attempts after the first. */
import { statements } from "./statements.ts"

export const eventTraces = statements([`alter table event add column trace text check (length(trace) <= 256)`])
