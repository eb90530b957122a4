/** The events of a run's log and those that endpoints receive: a schema for each type, and what distinguishes them. */
import { type EventKind, SAMPLE_ID } from "@agent-platform/kernel"
import { RUN_EVENT_DATA } from "@agent-platform/runs"
import { DateTime, Schema } from "effect"
import { webhookEvents } from "../../webhookEvents.ts"
import { tidy } from "./schemas.ts"
import { type Json, pascal, ref } from "./shapes.ts"

const schemaOf = (schema: Schema.Constraint): Json => {
  const { definitions, schema: made } = Schema.toJsonSchemaDocument(schema)
  if (Object.keys(definitions).length > 0) throw new Error("The data of an event refers to other schemas")
  const { additionalProperties, ...rest } = tidy(made) as Json
  return additionalProperties === false ? rest : { additionalProperties, ...rest }
}

const union = (description: string, names: ReadonlyMap<string, string>): Json => ({
  description,
  oneOf: [...names.values()].map((name) => ref(`schemas/${name}`)),
  discriminator: {
    propertyName: "type",
    mapping: Object.fromEntries([...names].map(([type, name]) => [type, `#/components/schemas/${name}`]))
  }
})

const namesOf = (types: ReadonlyArray<string>, suffix: string): ReadonlyMap<string, string> =>
  new Map(types.map((type) => [type, `${pascal(type)}${suffix}`]))

/** `RunEvent` as the union of its types, made of what all have in common. */
export const runEventSchemas = (common: Json): Record<string, Json> => {
  const names = namesOf(Object.keys(RUN_EVENT_DATA), "LogEvent")
  const members = common["properties"] as Json
  return {
    ...Object.fromEntries(
      Object.entries(RUN_EVENT_DATA).map(([type, data]) => [
        names.get(type) as string,
        {
          type: "object",
          description: `\`${type}\` in a run's log`,
          properties: {
            ...members,
            type: { type: "string", enum: [type], description: "The event's type" },
            data: { ...schemaOf(data), description: "The event's data" }
          },
          required: common["required"]
        }
      ])
    ),
    RunEvent: union("One event of a run's log, by its type", names)
  }
}

const SAMPLE_TIME = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

const WEBHOOK_NAMES = namesOf(
  webhookEvents.map(({ type }) => type),
  "WebhookEvent"
)

/** The bodies that endpoints receive, by their type. */
export const webhookEventSchemas = (): Record<string, Json> => ({
  ...Object.fromEntries(
    webhookEvents.map(({ byName, data, sample, type, when }: EventKind<string, Schema.Constraint>) => [
      WEBHOOK_NAMES.get(type) as string,
      {
        type: "object",
        description: `${when}. Sent to endpoints that name it${byName === true ? "" : ", or name none"}.`,
        properties: {
          id: { type: "string", format: "uuid", description: "The event's id: the same in every attempt and replay" },
          type: { type: "string", enum: [type], description: "The event's type" },
          created_at: { type: "string", format: "date-time", description: "ISO 8601 with a numeric offset" },
          data: { ...schemaOf(data), description: "The event's data" }
        },
        required: ["id", "type", "created_at", "data"],
        examples: [{ id: SAMPLE_ID, type, created_at: "2026-11-21T05:15:00.123+00:00", data: sample(SAMPLE_TIME) }]
      }
    ])
  ),
  WebhookEvent: union("The body of a delivery, by its type", WEBHOOK_NAMES)
})

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" }
})

/** The section of the document about what endpoints receive: one address takes every type. */
export const WEBHOOKS: Json = {
  event: {
    post: {
      tags: ["Organization webhooks"],
      operationId: "onEvent",
      summary: "Receive an event",
      description:
        "Sent to every endpoint that names the event's type; those of the specification to endpoints that name none, too. " +
        "Answer within the deadline, and work afterwards.",
      security: [],
      parameters: [
        header("webhook-id", "The event's id: handle an event once by it"),
        header("webhook-timestamp", "Seconds since 1970: refuse what is older than 5 minutes"),
        header(
          "webhook-signature",
          "By Standard Webhooks, under the endpoint's secret: check it before the body is read"
        )
      ],
      requestBody: { required: true, content: { "application/json": { schema: ref("schemas/WebhookEvent") } } },
      responses: {
        200: { description: "Delivered, as is every status from 200 to 299" },
        "4XX": { description: "Attempted again later, as after every other status and after no answer" }
      }
    }
  }
}
