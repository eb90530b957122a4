/** The events that webhooks publish to an organization's endpoints. Spec: Events. */
import { defineEvent, EventTime, publish, SAMPLE_ID } from "@agent-platform/kernel"
import { DateTime, Effect, Schema } from "effect"
import { type Endpoint, EndpointId } from "./Endpoint.ts"

/** The data of webhook.disabled: which endpoint, and why. */
export const WebhookDisabledData = Schema.Struct({
  endpoint_id: EndpointId.annotateKey({ description: "The endpoint that is disabled" }),
  url: Schema.String.annotate({ format: "uri" }).annotateKey({ description: "Where its events were sent" }),
  reason: Schema.String.annotateKey({
    description: "`failing` after 120 hours of nothing but failures, or `disabled_by_request`"
  }),
  disabled_at: EventTime.annotateKey({ description: "When, as ISO 8601 in UTC" })
})

export const webhookDisabled = defineEvent({
  type: "webhook.disabled",
  when: "An endpoint of the organization was disabled. Its own delivery of it is dead until it is enabled",
  byName: true,
  data: WebhookDisabledData,
  sample: (at) => ({
    endpoint_id: SAMPLE_ID,
    url: "https://example.com/hooks",
    reason: "failing",
    disabled_at: DateTime.formatIso(at)
  })
})

/** Every kind of event that this package publishes. */
export const webhookEventKinds = [webhookDisabled] as const

/** Publishes, in the caller's transaction, that the endpoint is disabled. */
export const publishDisabled = Effect.fnUntraced(function* ({ disabledReason, id, organizationId, url }: Endpoint) {
  const disabledAt = DateTime.formatIso(yield* DateTime.now)
  const data = { endpoint_id: id, url, reason: disabledReason ?? "", disabled_at: disabledAt }
  yield* publish(webhookDisabled, { organizationId, workspaceId: null }, data)
})
