import { defineJob, ErasureId, type JobKind, OrganizationId } from "@agent-platform/kernel"
import { Schema } from "effect"

/** How long an erasure that has given up its turn waits for the next. */
const PAUSE_SECONDS = 2

/** And one that failed, at most. */
const PAUSE_SECONDS_MAX = 300

/** Erase what was asked for, portion by portion. */
export const eraseSubject: JobKind<{ readonly organization_id: OrganizationId; readonly erasure_id: ErasureId }> =
  defineJob("erasures.erase", Schema.Struct({ organization_id: OrganizationId, erasure_id: ErasureId }), {
    retrySeconds: PAUSE_SECONDS,
    retrySecondsMax: PAUSE_SECONDS_MAX
  })
