/** Templates of an organization: settings that a row of each workspace follows, until the workspace has its own. */
import { type DateTime, type Effect, type Redacted, Schema } from "effect"
import type { Actor } from "./Caller.ts"
import { type OrganizationId, Uuid, type WorkspaceId } from "./Ids.ts"

export const TemplateId = Uuid.pipe(Schema.brand("TemplateId"))
export type TemplateId = typeof TemplateId.Type

/** The resources that can follow a template. */
export const TemplateKind = Schema.Literals(["agent", "provider_key", "tool_secret"])
export type TemplateKind = typeof TemplateKind.Type

/** How far the template's latest version has come through the workspaces. */
export interface TemplateSpread {
  /** The last workspace that has it, in the order in which they are gone through; null before the first. */
  readonly after: WorkspaceId | null
  /** How many workspaces have it of those gone through, and how many there were when it began. */
  readonly done: number
  readonly total: number
  /** How many turns it has had. Each is a job with the number of the turn; one with any other number than the next does nothing. */
  readonly turns: number
  /** When the last workspace had it; null while it is under way. */
  readonly endedAt: DateTime.Utc | null
}

/** A template, without its secret value. */
export interface Template {
  readonly id: TemplateId
  readonly organizationId: OrganizationId
  readonly kind: TemplateKind
  /** The settings, as the kind's domain writes and reads them. */
  readonly settings: Schema.JsonObject
  /** From 1, one more with every change. */
  readonly version: number
  /** The version with which the present secret value came. */
  readonly valueVersion: number
  readonly createdAt: DateTime.Utc
  /** Who made it, without a name. */
  readonly createdBy: Pick<Actor, "type" | "id">
  readonly updatedAt: DateTime.Utc
  readonly spread: TemplateSpread
}

/** A template with its secret value, sealed for `templatePlace(template)`; null where it has none. */
export interface SealedTemplate {
  readonly template: Template
  readonly sealed: string | null
}

/** The content of a template, as the domain of its kind makes it. */
export interface TemplateContent {
  readonly settings: Schema.JsonObject
  /** The secret value; null for none, undefined to keep the present one. */
  readonly value: Redacted.Redacted | null | undefined
  /** A secret that was made for the value, and is shown this once; null where there is none. */
  readonly shown: Redacted.Redacted | null
}

/** The present content of a template that is to be changed. */
export interface TemplateBefore {
  readonly settings: Schema.JsonObject
  /** Opens its value; null where it has none. */
  readonly open: Effect.Effect<Redacted.Redacted | null>
}

/**
 * The reason why a workspace has no row of a template, or one that is behind. `taken`: it has something of its own in that place.
 * `quota_exceeded`: it has as much as it may have. `revoked`: the template was revoked before. `conflict`: what it has set for itself
 * does not go with what the template says.
 */
export const TemplateFault = Schema.Literals(["taken", "quota_exceeded", "revoked", "conflict"])
export type TemplateFault = typeof TemplateFault.Type

/** The name of a row's removal among what was overridden: a row that its workspace has deleted does not come back. */
export const DELETED = "deleted"

/** A workspace's part in a template. */
export interface TemplateMember {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly templateId: TemplateId
  /** The row that follows; null where there is none. */
  readonly resourceId: string | null
  /** The version of the template that it has; where it has no row, the one that was tried last. */
  readonly version: number
  /** The members that the workspace has set for itself, which the template does not change any more. */
  readonly overridden: ReadonlyArray<string>
  readonly fault: TemplateFault | null
}

/** No such template in the caller's organization. */
export class TemplateNotFound extends Schema.TaggedError<TemplateNotFound>()("TemplateNotFound", {}) {}

/** Somebody has changed the template since the version that the caller had seen. */
export class TemplateChanged extends Schema.TaggedError<TemplateChanged>()("TemplateChanged", {
  version: Schema.Int
}) {}

/** The place that a template's value is sealed for. */
export const templatePlace = ({ id, kind, organizationId }: Pick<Template, "id" | "kind" | "organizationId">): string =>
  `template/${organizationId}/${kind}/${id}`

/** A spread that is to begin, or to begin anew, over so many workspaces. */
export const newSpread = (total: number, turns = 0): TemplateSpread => ({
  after: null,
  done: 0,
  total,
  turns,
  endedAt: null
})
