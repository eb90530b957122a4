import { Context, type Effect } from "effect"
import type { OrganizationId, WorkspaceId } from "../Ids.ts"
import type { Page, PageRequest } from "../Page.ts"
import type { SealedTemplate, Template, TemplateId, TemplateKind, TemplateMember } from "../Template.ts"
import type { SealedValue } from "./SealedValues.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** Keeps templates, and which workspaces have what of them. Held by `templateStoreContract`. */
export class TemplateStore extends Context.Service<
  TemplateStore,
  {
    /** How many templates the organization has, counted up to `max`. Until the transaction ends nobody else counts them. */
    readonly holdCount: (organizationId: OrganizationId, max: number) => Effect.Effect<number, never, Transaction>
    readonly insert: (template: Template, sealed: string | null) => Effect.Effect<void, never, Transaction>
    /** The organization's template of this kind. */
    readonly find: (
      organizationId: OrganizationId,
      kind: TemplateKind,
      id: TemplateId
    ) => Effect.Effect<Template | undefined>
    /** The organization's templates of a kind, newest first. */
    readonly list: (
      organizationId: OrganizationId,
      kind: TemplateKind,
      page: PageRequest
    ) => Effect.Effect<Page<Template>>
    /**
     * As `find`, of any kind and with the value; until the transaction ends nobody else changes it, removes it or lets a workspace
     * follow it.
     */
    readonly findToChange: (
      organizationId: OrganizationId,
      id: TemplateId
    ) => Effect.Effect<SealedTemplate | undefined, never, Transaction>
    /** As `findToChange`, for who lets a workspace follow: many transactions may hold one at once. */
    readonly findToFollow: (
      organizationId: OrganizationId,
      id: TemplateId
    ) => Effect.Effect<SealedTemplate | undefined, never, Transaction>
    /** All templates of the organization, as `findToFollow`, oldest first. */
    readonly allToFollow: (
      organizationId: OrganizationId
    ) => Effect.Effect<ReadonlyArray<SealedTemplate>, never, Transaction>
    /** Writes settings, versions, time and spread of a template that is held, and its value unless that is undefined. */
    readonly update: (template: Template, sealed: string | null | undefined) => Effect.Effect<void, never, Transaction>
    /** Removes a template that is held, and what is noted of its members. */
    readonly remove: (organizationId: OrganizationId, id: TemplateId) => Effect.Effect<void, never, Transaction>
    /** The workspace's part in a template; until the transaction ends nobody else changes it. */
    readonly holdMember: (
      workspaceId: WorkspaceId,
      templateId: TemplateId
    ) => Effect.Effect<TemplateMember | undefined, never, Transaction>
    /** The same for a row of the workspace. */
    readonly holdMemberOf: (
      workspaceId: WorkspaceId,
      resourceId: string
    ) => Effect.Effect<TemplateMember | undefined, never, Transaction>
    /** Writes the workspace's part in a template, whether there was one or not. */
    readonly putMember: (member: TemplateMember) => Effect.Effect<void, never, Transaction>
    /** Up to `limit` parts in a template, behind a workspace and in the order of these. */
    readonly members: (
      organizationId: OrganizationId,
      templateId: TemplateId,
      after: WorkspaceId | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TemplateMember>>
    /** Up to `limit` templates with a value of every organization, with ids behind `after`, ordered by id. */
    readonly everyValue: (
      after: TemplateId | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SealedTemplate & { readonly sealed: string }>>
    /** Puts `resealed` in the place of a value that is still `value.sealed`; false when it is not. Its position is the template's id. */
    readonly replaceSealed: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/kernel/TemplateStore") {}
