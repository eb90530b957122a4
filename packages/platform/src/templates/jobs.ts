import { defineJob, type JobKind, OrganizationId, TemplateId } from "@agent-platform/kernel"
import { Schema } from "effect"

/** How long a turn that failed waits for its next try, at first and at most. */
const PAUSE_SECONDS = 2
const PAUSE_SECONDS_MAX = 300

const payload = Schema.Struct({ organization_id: OrganizationId, template_id: TemplateId, turn: Schema.Int })

/** Bring a template to more workspaces. The job is void once that turn is over, so that one job at a time leads it on. */
export const spreadTemplate: JobKind<typeof payload.Type> = defineJob("templates.spread", payload, {
  retrySeconds: PAUSE_SECONDS,
  retrySecondsMax: PAUSE_SECONDS_MAX
})
