import {
  atomic,
  createdBefore,
  type Egress,
  freshId,
  type IdempotencyRequest,
  idempotently,
  JobQueue,
  newSpread,
  type OrganizationCaller,
  QuotaExceeded,
  Quotas,
  SecretBox,
  type Template,
  TemplateChanged,
  TemplateId,
  type TemplateKind,
  TemplateNotFound,
  TemplateStore,
  templatePlace,
  type UrlNotPublic
} from "@agent-platform/kernel"
import { TenancyStore, type ToolSecretMismatch } from "@agent-platform/keys"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Equal, type Redacted, type Schema } from "effect"
import { spreadTemplate } from "./jobs.ts"
import { recordTemplate } from "./recordTemplate.ts"

/** Names a template of the caller's organization. */
export interface TemplateOf {
  readonly caller: OrganizationCaller
  readonly kind: TemplateKind
  readonly id: TemplateId
}

export interface CreateTemplate extends Pick<TemplateOf, "caller" | "kind"> {
  readonly settings: Schema.JsonObject
  readonly value: Redacted.Redacted
  /** Refuses settings, before anything is written and outside of the transaction. */
  readonly admit: Effect.Effect<unknown, UrlNotPublic, Egress>
  readonly idempotency: IdempotencyRequest | undefined
}

export interface UpdateTemplate extends TemplateOf {
  /** The version that the caller has seen; undefined changes any. */
  readonly ifVersion: number | undefined
  /** The settings after the change of those that stand; fails where they cannot be changed so. */
  readonly change: (settings: Schema.JsonObject) => Effect.Effect<Schema.JsonObject, ToolSecretMismatch>
  /** A new value; undefined leaves the one that stands. */
  readonly value: Redacted.Redacted | undefined
}

/** More workspaces than any organization has. */
const ALL = 2_147_483_647

/**
 * How many workspaces the organization has. Until the transaction ends nobody makes another: each has the template by its own
 * beginning, or is there when the spread goes through them.
 */
const holdWorkspaces = ({ organizationId }: OrganizationCaller) =>
  TenancyStore.use((tenancy) => tenancy.holdWorkspaces(organizationId, ALL))

const enqueue = ({ id, organizationId, spread }: Template) =>
  JobQueue.use((queue) =>
    queue.enqueue(spreadTemplate, { organization_id: organizationId, template_id: id, turn: spread.turns })
  )

/** The organization's template. Fails with TemplateNotFound. */
export const readTemplate = useCase("platform.readTemplate")(function* ({ caller, id, kind }: TemplateOf) {
  const found = yield* TemplateStore.use((templates) => templates.find(caller.organizationId, kind, id))
  return found ?? (yield* new TemplateNotFound())
})

/** Makes a template, which a job brings to every workspace. Fails with QuotaExceeded, and as `admit` does. */
export const createTemplate = useCase("platform.createTemplate")(function* (command: CreateTemplate) {
  const { caller, idempotency, kind, settings, value } = command
  const { actor, organizationId } = caller
  const templates = yield* TemplateStore
  const box = yield* SecretBox
  // A replay does not depend on what may be admitted by now.
  if ((yield* createdBefore(idempotency)) === undefined) yield* command.admit

  const create = Effect.gen(function* () {
    const { templates: limit } = yield* Quotas
    const total = yield* holdWorkspaces(caller)
    if ((yield* templates.holdCount(organizationId, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota: "templates", of: "organization", limit })
    }
    const now = yield* DateTime.now
    const template: Template = {
      id: yield* freshId(TemplateId),
      organizationId,
      kind,
      settings,
      version: 1,
      valueVersion: 1,
      createdAt: now,
      createdBy: { type: actor.type, id: actor.id },
      updatedAt: now,
      spread: newSpread(total)
    }
    yield* templates.insert(template, yield* box.seal(templatePlace(template), value))
    yield* recordTemplate("created", actor, template)
    yield* enqueue(template)
    return template
  })

  return yield* atomic(
    idempotently(idempotency, {
      create,
      idOf: ({ id }) => id,
      find: (id) => readTemplate({ caller, kind, id: TemplateId.make(id) })
    })
  )
})

const findToChange = Effect.fnUntraced(function* ({ caller, id, kind }: TemplateOf) {
  const found = yield* TemplateStore.use((templates) => templates.findToChange(caller.organizationId, id))
  return found?.kind === kind ? found : yield* new TemplateNotFound()
})

/** Changes a template, which a job brings to every workspace again. Fails with TemplateNotFound and TemplateChanged, and as `change` does. */
export const updateTemplate = useCase("platform.updateTemplate")(function* (command: UpdateTemplate) {
  const { caller, change, ifVersion, value } = command
  const templates = yield* TemplateStore
  const box = yield* SecretBox
  const total = yield* holdWorkspaces(caller)
  const before = yield* findToChange(command)
  if (ifVersion !== undefined && ifVersion !== before.version) {
    return yield* new TemplateChanged({ version: before.version })
  }
  const settings = yield* change(before.settings)
  if (value === undefined && Equal.equals(settings, before.settings)) return before
  const version = before.version + 1
  const after: Template = {
    ...before,
    settings,
    version,
    valueVersion: value === undefined ? before.valueVersion : version,
    updatedAt: yield* DateTime.now,
    spread: newSpread(total, before.spread.turns + 1)
  }
  yield* templates.update(after, value && (yield* box.seal(templatePlace(after), value)))
  yield* recordTemplate("updated", caller.actor, after, value !== undefined)
  yield* enqueue(after)
  return after
}, atomic)

/** Deletes a template with its value. What follows it stays in the workspaces, as their own. Fails with TemplateNotFound. */
export const deleteTemplate = useCase("platform.deleteTemplate")(function* (command: TemplateOf) {
  const template = yield* findToChange(command)
  yield* TemplateStore.use((templates) => templates.remove(template.organizationId, template.id))
  yield* recordTemplate("deleted", command.caller.actor, template)
  return template
}, atomic)
