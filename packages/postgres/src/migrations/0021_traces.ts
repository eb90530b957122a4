/** The trace that a run belongs to, as a W3C `traceparent`. Null where nobody records spans. */
import { statements } from "./statements.ts"

export const traces = statements([`alter table run add column trace text check (length(trace) <= 256)`])
