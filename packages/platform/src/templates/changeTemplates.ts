import {
  atomic,
  createdBefore,
  freshId,
  type IdempotencyRequest,
  idempotently,
  JobQueue,
  newSpread,
  type OrganizationCaller,
  openTemplate,
  QuotaExceeded,
  Quotas,
  SecretBox,
  type Template,
  type TemplateBefore,
  TemplateChanged,
  type TemplateContent,
  TemplateId,
  type TemplateKind,
  TemplateNotFound,
  TemplateStore,
  templatePlace
} from "@agent-platform/kernel"
import { TenancyStore } from "@agent-platform/keys"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Equal, type Redacted } from "effect"
import { spreadTemplate } from "./jobs.ts"
import { recordTemplate } from "./recordTemplate.ts"

/** Names a template of the caller's organization. */
export interface TemplateOf {
  readonly caller: OrganizationCaller
  readonly kind: TemplateKind
  readonly id: TemplateId
}

export interface CreateTemplate<E, R> extends Pick<TemplateOf, "caller" | "kind"> {
  /** Makes the content, before anything is written and outside of the transaction, since it may send requests. */
  readonly make: Effect.Effect<TemplateContent, E, R>
  readonly idempotency: IdempotencyRequest | undefined
}

/** A change of a template's content, made while nobody else changes it. */
export type ContentChange<E, R> = (before: TemplateBefore) => Effect.Effect<TemplateContent, E, R>

/** `prepare` fails with `E`, and the change that it prepares with `E2`. */
export interface UpdateTemplate<E, E2, R> extends TemplateOf {
  /** The version that the caller has seen; undefined changes any. */
  readonly ifVersion: number | undefined
  /** Prepares the change from the current settings, outside of the transaction, since it may send requests. */
  readonly prepare: (seen: Pick<TemplateBefore, "settings">) => Effect.Effect<ContentChange<E2, R>, E, R>
}

/** A template, and the secret of it that is shown this once. */
export interface WrittenTemplate {
  readonly template: Template
  readonly shown: Redacted.Redacted | null
}

/** More workspaces than any organization has. */
const ALL = 2_147_483_647

/**
 * Counts the organization's workspaces, and lets nobody create one until the transaction ends. So every workspace gets the template:
 * a later one when it is created, an earlier one from the spread.
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

const sealedFor = Effect.fnUntraced(function* (template: Template, value: TemplateContent["value"]) {
  const box = yield* SecretBox
  return value == null ? value : yield* box.seal(templatePlace(template), value)
})

/**
 * Makes a template, which a job brings to every workspace. Fails with QuotaExceeded, as `make` does, and with TemplateNotFound where a
 * repeated request made one that is gone.
 */
export const createTemplate = useCase("platform.createTemplate")(function* <E, R>(command: CreateTemplate<E, R>) {
  const { caller, idempotency, kind } = command
  const { actor, organizationId } = caller
  const templates = yield* TemplateStore
  const find = (id: string) =>
    Effect.map(
      readTemplate({ caller, kind, id: TemplateId.make(id) }),
      (template): WrittenTemplate => ({ template, shown: null })
    )
  // A repeated request is answered without `make`, which might refuse by now.
  const before = yield* createdBefore(idempotency)
  const made = before === undefined ? yield* command.make : undefined

  const create = Effect.gen(function* () {
    // Only if the idempotency key was forgotten since `createdBefore`.
    if (made === undefined) return yield* new TemplateNotFound()
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
      settings: made.settings,
      version: 1,
      valueVersion: 1,
      createdAt: now,
      createdBy: { type: actor.type, id: actor.id },
      updatedAt: now,
      spread: newSpread(total)
    }
    yield* templates.insert(template, (yield* sealedFor(template, made.value)) ?? null)
    yield* recordTemplate("created", actor, template)
    yield* enqueue(template)
    const written: WrittenTemplate = { template, shown: made.shown }
    return written
  })

  return yield* atomic(idempotently(idempotency, { create, idOf: ({ template }) => template.id, find }))
})

const findToChange = Effect.fnUntraced(function* ({ caller, id, kind }: TemplateOf) {
  const found = yield* TemplateStore.use((templates) => templates.findToChange(caller.organizationId, id))
  return found?.template.kind === kind ? found : yield* new TemplateNotFound()
})

const demandVersion = (ifVersion: number | undefined, { version }: Template) =>
  ifVersion === undefined || ifVersion === version ? Effect.void : Effect.fail(new TemplateChanged({ version }))

/**
 * Changes a template, which a job brings to every workspace again. Fails with TemplateNotFound and TemplateChanged, and as `prepare`
 * and the change do.
 */
export const updateTemplate = useCase("platform.updateTemplate")(function* <E, E2, R>(
  command: UpdateTemplate<E, E2, R>
) {
  const { caller, ifVersion, prepare } = command
  const templates = yield* TemplateStore
  const box = yield* SecretBox
  const seen = yield* readTemplate(command)
  yield* demandVersion(ifVersion, seen)
  const change = yield* prepare(seen)

  const write = Effect.gen(function* () {
    const total = yield* holdWorkspaces(caller)
    const sealed = yield* findToChange(command)
    const before = sealed.template
    yield* demandVersion(ifVersion, before)
    const open = Effect.provideService(openTemplate(sealed), SecretBox, box)
    const { settings, shown, value } = yield* change({ settings: before.settings, open })
    if (value === undefined && Equal.equals(settings, before.settings)) {
      const same: WrittenTemplate = { template: before, shown: null }
      return same
    }
    const version = before.version + 1
    const after: Template = {
      ...before,
      settings,
      version,
      valueVersion: value === undefined ? before.valueVersion : version,
      updatedAt: yield* DateTime.now,
      spread: newSpread(total, before.spread.turns + 1)
    }
    yield* templates.update(after, yield* sealedFor(after, value))
    yield* recordTemplate("updated", caller.actor, after, value !== undefined)
    yield* enqueue(after)
    const written: WrittenTemplate = { template: after, shown }
    return written
  })

  return yield* atomic(write)
})

/** Deletes a template with its value. The rows of workspaces that follow it stay, as their own. Fails with TemplateNotFound. */
export const deleteTemplate = useCase("platform.deleteTemplate")(function* (command: TemplateOf) {
  const { template } = yield* findToChange(command)
  yield* TemplateStore.use((templates) => templates.remove(template.organizationId, template.id))
  yield* recordTemplate("deleted", command.caller.actor, template)
  return template
}, atomic)
