import { DateTime } from "effect"
import { SecureRandom } from "effect/crypto"
import type { WorkspaceCaller } from "../Caller.ts"
import { type EventRecord, encodeEnvelope } from "../Event.ts"
import { EventId, OrganizationId, WorkspaceId } from "../Ids.ts"

/** A new id of the given kind, for tests that do not care which. */
export const anId = <Id extends string>(kind: { readonly make: (text: string) => Id }): Id =>
  kind.make(SecureRandom.uuidV7Unsafe())

/** An event of an organization of its own, unless told otherwise. */
export const anEvent = (override: Partial<EventRecord> = {}): EventRecord => {
  const id = override.id ?? anId(EventId)
  const type = override.type ?? "run.succeeded"
  const createdAt = override.createdAt ?? DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")
  return {
    id,
    type,
    organizationId: anId(OrganizationId),
    workspaceId: anId(WorkspaceId),
    createdAt,
    body: encodeEnvelope({ id, type, createdAt, data: { note: "something happened" } }),
    ...override
  }
}

/** A caller with a key, in a workspace and an organization of its own, unless told otherwise. */
export const aCaller = (override: Partial<WorkspaceCaller> = {}): WorkspaceCaller => ({
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  actor: { type: "user", id: SecureRandom.uuidV7Unsafe(), label: "a key" },
  ...override
})
