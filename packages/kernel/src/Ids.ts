/** Identifiers: UUIDv7 strings, branded so that one kind never passes for another. */
import { DateTime, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID in lower case. Every kind of id is this schema with a brand; anything else does not decode. */
export const Uuid = Schema.String.annotate({ format: "uuid" }).check(
  Schema.makeFilter((text: string) => UUID.test(text), { expected: "a UUID in lower case" })
)

/** The customer of the platform. It holds workspaces, organization keys and webhook endpoints. */
export const OrganizationId = Uuid.pipe(Schema.brand("OrganizationId"))
export type OrganizationId = typeof OrganizationId.Type

/** The id of a workspace. Every resource belongs to one, and is invisible to every other. */
export const WorkspaceId = Uuid.pipe(Schema.brand("WorkspaceId"))
export type WorkspaceId = typeof WorkspaceId.Type

/** One thing that happened; the same across endpoints, retries and replays. */
export const EventId = Uuid.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** A fresh identifier of the given kind: UUIDv7, so that ids sort by the time they were made. */
export const freshId = <Id extends string>(kind: {
  readonly make: (text: string) => Id
}): Effect.Effect<Id, never, SecureRandom.SecureRandom> =>
  SecureRandom.SecureRandom.use((random) => random.uuidV7()).pipe(Effect.map((text) => kind.make(text)))

/** The lower bound of the ids that were made at `at` or later, above every id that was made before: a UUIDv7 as well. */
export const firstIdAt = (at: DateTime.Utc): string => {
  const millis = at.epochMilliseconds.toString(16).padStart(12, "0")
  return `${millis.slice(0, 8)}-${millis.slice(8)}-7000-8000-000000000000`
}

/** When an id was made, by the clock of the process that made it. Only for ids that are a UUIDv7, as all of ours are. */
export const timeOfId = (id: string): DateTime.Utc =>
  DateTime.makeUnsafe(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))

/** The id in `text`, or undefined when it is not well formed (callers answer that like an unknown id). */
export const parseId = <Id extends string>(
  kind: { readonly make: (text: string) => Id },
  text: string
): Id | undefined => (UUID.test(text) ? kind.make(text) : undefined)
