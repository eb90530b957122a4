import { DateTime } from "effect"
import { SecureRandom } from "effect/crypto"
import type { WorkspaceCaller } from "../Caller.ts"
import { type Erasure, ErasureId } from "../Erasure.ts"
import type { EventRecord } from "../Event.ts"
import { ActivityId, type ActivityRecord, NotificationId, type NotificationRecord } from "../Feed.ts"
import { EventId, OrganizationId, WorkspaceId } from "../Ids.ts"
import { newSpread, type Template, TemplateId } from "../Template.ts"

/** A new id of the given kind, for tests that do not care which. */
export const anId = <Id extends string>(kind: { readonly make: (text: string) => Id }): Id =>
  kind.make(SecureRandom.uuidV7Unsafe())

/** An event of an organization of its own, unless told otherwise. */
export const anEvent = (override: Partial<EventRecord> = {}): EventRecord => ({
  id: anId(EventId),
  type: "run.succeeded",
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  createdAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
  data: JSON.stringify({ note: "something happened" }),
  ...override
})

/** A caller with a key, in a workspace and an organization of its own, unless told otherwise. */
export const aCaller = (override: Partial<WorkspaceCaller> = {}): WorkspaceCaller => ({
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  actor: { type: "user", id: SecureRandom.uuidV7Unsafe(), label: "a key" },
  ...override
})

/** An entry of the activity feed, of a workspace of its own unless told otherwise. */
export const anActivity = (override: Partial<ActivityRecord> = {}): ActivityRecord => ({
  id: anId(ActivityId),
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  action: "agent.created",
  actor: aCaller().actor,
  summary: "a key created the agent 'Greeter'",
  resourceType: "agent",
  resourceId: SecureRandom.uuidV7Unsafe(),
  payload: {},
  createdAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
  ...override
})

/** A notice to a workspace of its own, unless told otherwise. */
export const aNotification = (override: Partial<NotificationRecord> = {}): NotificationRecord => ({
  id: anId(NotificationId),
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  type: "run.failed",
  about: null,
  title: "A run failed",
  body: "The agent 'Greeter' failed: out of words",
  payload: {},
  createdAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
  ...override
})

/** An erasure of a run that was just asked for, unless told otherwise. */
export const anErasure = (override: Partial<Erasure> = {}): Erasure => ({
  id: anId(ErasureId),
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  kind: "run",
  subjectId: SecureRandom.uuidV7Unsafe(),
  requestedBy: { type: "user", id: SecureRandom.uuidV7Unsafe() },
  state: "pending",
  counts: {},
  turns: 0,
  createdAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
  startedAt: null,
  finishedAt: null,
  ...override
})

/** A template of tool secrets that was just made, unless told otherwise. */
export const aTemplate = (override: Partial<Template> = {}): Template => ({
  id: anId(TemplateId),
  organizationId: anId(OrganizationId),
  kind: "tool_secret",
  settings: { name: "Orders" },
  version: 1,
  valueVersion: 1,
  createdAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
  createdBy: { type: "user", id: SecureRandom.uuidV7Unsafe() },
  updatedAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
  spread: newSpread(1),
  ...override
})
