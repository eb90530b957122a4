/**
 * A delivery's first attempt, which is the only one of most, in the delivery's own row: a row of its own, with its index, took
 * Postgres as long as the delivery's. Null where the row came before any attempt, and in rows from before this step: their
 * attempts, and all later ones, are rows of webhook_attempt.
 */
import { statements } from "./statements.ts"

export const firstAttempts = statements([
  `alter table webhook_delivery
    add column first_attempted_at timestamptz,
    add column first_duration_millis integer,
    add column first_response_code integer,
    add column first_error text,
    add column first_response_excerpt text,
    add column first_remote_ip text`
])
