import { defineJob, ErasureId, type JobKind, OrganizationId } from "@agent-platform/kernel"
import { Schema } from "effect"

/** How long a turn that failed waits for its next try, at first and at most. */
const PAUSE_SECONDS = 2
const PAUSE_SECONDS_MAX = 300

const payload = Schema.Struct({ organization_id: OrganizationId, erasure_id: ErasureId, turn: Schema.Int })

/** Give an erasure its next turn. The job is void once that turn is over, so that one job at a time leads it on. */
export const eraseSubject: JobKind<typeof payload.Type> = defineJob("erasures.erase", payload, {
  retrySeconds: PAUSE_SECONDS,
  retrySecondsMax: PAUSE_SECONDS_MAX
})
