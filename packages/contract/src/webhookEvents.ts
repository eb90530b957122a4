/** The events that an organization's endpoints can receive: the events of every domain in one place. Spec: Events. */
import { billingEventKinds } from "@agent-platform/billing"
import { EventId, type EventKind } from "@agent-platform/kernel"
import { keyEventKinds } from "@agent-platform/keys"
import { runEventKinds } from "@agent-platform/runs"
import { webhookEventKinds } from "@agent-platform/webhooks"
import { Schema } from "effect"

/** Every kind of event that is published. All else on this page follows from this list. */
export const webhookEvents = [...runEventKinds, ...keyEventKinds, ...billingEventKinds, ...webhookEventKinds] as const

type Kind = EventKind<string, Schema.Constraint>
type Kinds = typeof webhookEvents
type TypesOf<List extends ReadonlyArray<Kind>> = { readonly [Place in keyof List]: List[Place]["type"] }

/** The kinds that an endpoint receives that names none: those of the specification, for ever. Spec: Events 4. */
export const unnamedEvents: ReadonlyArray<string> = webhookEvents
  .filter((kind: Kind) => kind.byName !== true)
  .map(({ type }) => type)

/** The kinds that an endpoint may subscribe to. */
export const WebhookEventType = Schema.Literals(webhookEvents.map(({ type }) => type) as unknown as TypesOf<Kinds>)
export type WebhookEventType = typeof WebhookEventType.Type

const kinds: ReadonlyMap<string, Kind> = new Map(webhookEvents.map((kind) => [kind.type, kind]))

/** The kind of event that has this type. */
export const webhookEventOf = (type: WebhookEventType): Kind => kinds.get(type) as Kind

const envelope = <const Type extends string, Data extends Schema.Constraint>(kind: {
  readonly type: Type
  readonly data: Data
}) =>
  Schema.Struct({
    id: EventId,
    type: Schema.Literal(kind.type),
    /** ISO 8601 with a numeric offset. */
    created_at: Schema.String,
    data: kind.data
  })

type EnvelopesOf<List extends ReadonlyArray<Kind>> = {
  readonly [Place in keyof List]: ReturnType<typeof envelope<List[Place]["type"], List[Place]["data"]>>
}

/**
 * The body of a delivery, by `type`. Members that a later version adds are ignored. Check the signature before decoding.
 * Spec: Webhook event envelope; Signature 2.
 */
export const WebhookEvent = Schema.Union(
  webhookEvents.map((kind: Kind) => envelope(kind)) as unknown as EnvelopesOf<Kinds>
)
export type WebhookEvent = typeof WebhookEvent.Type
