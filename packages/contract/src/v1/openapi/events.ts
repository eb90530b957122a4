/** The events of a run's log and those that endpoints receive: a schema for each type, and what distinguishes them. */
import { type EventKind, SAMPLE_ID } from "@agent-platform/kernel"
import { AGENT_LINES, RUN_EVENT_DATA } from "@agent-platform/runs"
import { DateTime, Schema } from "effect"
import { webhookEvents } from "../../webhookEvents.ts"
import { schemaOf, tidy } from "./schemas.ts"
import { type Json, pascal, ref } from "./shapes.ts"

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

const LOG_DATA = namesOf(Object.keys(RUN_EVENT_DATA), "LogData")

/** The data of the events of a run's log, by their type. */
const logDataSchemas = (): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(RUN_EVENT_DATA).map(([type, data]) => [
      LOG_DATA.get(type) as string,
      { ...schemaOf(data), description: `The data of \`${type}\` in a run's log` }
    ])
  )

/** A union of events by their type, made of what all have in common. */
const eventUnion = (given: {
  readonly name: string
  readonly types: ReadonlyArray<string>
  readonly suffix: string
  readonly common: Json
  readonly description: string
  readonly where: string
}): Record<string, Json> => {
  const names = namesOf(given.types, given.suffix)
  const members = given.common["properties"] as Json
  return {
    ...Object.fromEntries(
      [...names].map(([type, name]) => [
        name,
        {
          type: "object",
          description: `\`${type}\` ${given.where}`,
          properties: {
            ...members,
            type: { type: "string", enum: [type], description: "The event's type" },
            data: { ...ref(`schemas/${LOG_DATA.get(type)}`), description: "The event's data" }
          },
          required: given.common["required"]
        }
      ])
    ),
    [given.name]: union(`${given.description}, by its type`, names)
  }
}

/** The events that a record leaves out. */
const DELTAS: ReadonlyArray<string> = ["message.delta", "reasoning.delta"]

/** `RunEvent` and `TimelineEntry` as unions of their types. */
export const runEventSchemas = (generated: Readonly<Record<string, Json>>): Record<string, Json> => ({
  ...logDataSchemas(),
  ...eventUnion({
    name: "RunEvent",
    types: Object.keys(RUN_EVENT_DATA),
    suffix: "LogEvent",
    common: generated["RunEvent"] as Json,
    description: "One event of a run's log",
    where: "in a run's log"
  }),
  ...eventUnion({
    name: "TimelineEntry",
    types: Object.keys(RUN_EVENT_DATA).filter((type) => !DELTAS.includes(type)),
    suffix: "TimelineEntry",
    common: generated["TimelineEntry"] as Json,
    description: "Something that happened in a run",
    where: "in the timeline of a record"
  })
})

const LINE_NAMES = namesOf(Object.keys(AGENT_LINES), "Line")

/** The lines of the answer of an agent of one's own, by their type. */
export const agentLineSchemas = (): Record<string, Json> => ({
  ...Object.fromEntries(
    Object.entries(AGENT_LINES).map(([type, line]) => {
      // Whatever further members it has is said beside its own.
      const { allOf, ...known } = tidy(Schema.toJsonSchemaDocument(line).schema) as Json
      const schema = { ...known, additionalProperties: allOf !== undefined, description: `A line \`${type}\`` }
      return [`New${LINE_NAMES.get(type)}`, schema]
    })
  ),
  NewLine: union(
    "A line of an agent's answer, by its type. One of another type is passed over",
    new Map([...LINE_NAMES].map(([type, name]) => [type, `New${name}`]))
  )
})

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

const header = (name: string, description: string, schema: Json, required = true): Json => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string", ...schema }
})

/** The prefix can be chosen by the operator, so the document promises none. */
const prefixed = (name: string, description: string, schema: Json): Json =>
  header(
    `x-service-${name}`,
    `${description}. The operator can choose another prefix than \`x-service\``,
    schema,
    false
  )

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
        prefixed(
          "signature",
          "`t`, in seconds since 1970, and a `v1` for each valid secret: the HMAC-SHA256 in hex over `t`, a period and the body",
          { pattern: "^t=[0-9]+(,v1=[0-9a-f]{64})+$" }
        ),
        prefixed("event-id", "The event's id", { format: "uuid" }),
        prefixed("event-type", "The event's type", { enum: webhookEvents.map(({ type }) => type) }),
        header("webhook-id", "The event's id: handle an event once by it", { format: "uuid" }),
        header("webhook-timestamp", "Seconds since 1970: refuse what is older than 5 minutes", { pattern: "^[0-9]+$" }),
        header(
          "webhook-signature",
          "By Standard Webhooks, under the endpoint's secret: check it before the body is read",
          { pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$" }
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
