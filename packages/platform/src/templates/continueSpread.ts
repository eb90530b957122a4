import { atomic, JobQueue, type Template, TemplateStore, type WorkspaceId } from "@agent-platform/kernel"
import { KeyEraser, TenancyStore } from "@agent-platform/keys"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { follow } from "./followers.ts"
import { spreadTemplate } from "./jobs.ts"

type SpreadOf = (typeof spreadTemplate)["payload"]["Type"]

/** Most workspaces of one turn. A job that is taken over repeats no more than these, and other templates have turns in between. */
export const WORKSPACES_OF_A_TURN = 25

/** Brings one workspace to the template's version, in a transaction of its own; false once there is no such template any more. */
const followOne = Effect.fnUntraced(function* ({ organizationId, id, version }: Template, workspaceId: WorkspaceId) {
  const templates = yield* TemplateStore
  const found = yield* templates.findToFollow(organizationId, id)
  if (found?.template.version !== version) return false
  const workspace = yield* TenancyStore.use((tenancy) => tenancy.findWorkspace(organizationId, workspaceId))
  // One that is being erased gets nothing new.
  if (workspace !== undefined) yield* follow({ ...found, workspace: { organizationId, workspaceId } })
  return true
}, atomic)

/**
 * Ends a turn at the workspace `after`, and enqueues the next turn. With null no workspace is left, and the spread ends. Does nothing if the
 * template was changed meanwhile, which has begun another spread.
 */
const endTurn = Effect.fnUntraced(function* (job: SpreadOf, before: Template, after: WorkspaceId | null, done: number) {
  const templates = yield* TemplateStore
  const now = yield* DateTime.now
  const found = yield* templates.findToChange(before.organizationId, before.id)
  if (found === undefined || found.template.spread.turns !== job.turn) return
  const { template } = found
  const { spread } = template
  const isOver = after === null
  const progress = {
    ...spread,
    after: after ?? spread.after,
    done: spread.done + done,
    total: Math.max(spread.total, spread.done + done),
    turns: spread.turns + 1,
    endedAt: isOver ? now : null
  }
  yield* templates.update({ ...template, spread: progress }, undefined)
  if (!isOver) yield* JobQueue.use((queue) => queue.enqueue(spreadTemplate, { ...job, turn: progress.turns }))
}, atomic)

/**
 * Does the next turn of a template's spread: some workspaces, in the order of their ids, each in a transaction of its own. A turn that
 * broke off begins again at its first workspace, and changes nothing in workspaces that have the version already.
 */
export const continueSpread = useCase("platform.continueSpread")(function* (job: SpreadOf) {
  const templates = yield* TemplateStore
  // The port of erasures, because it goes through the workspaces of an organization in the order of their ids.
  const workspaces = yield* KeyEraser
  const { organization_id: organizationId, template_id: id, turn } = job
  const found = yield* atomic(templates.findToChange(organizationId, id))
  if (found === undefined || found.template.spread.turns !== turn || found.template.spread.endedAt !== null) return
  const { template } = found
  let after = template.spread.after ?? undefined
  let done = 0
  while (done < WORKSPACES_OF_A_TURN) {
    const next = yield* workspaces.nextWorkspace(organizationId, after)
    if (next === undefined) return yield* endTurn(job, template, null, done)
    if (!(yield* followOne(template, next))) return
    after = next
    done++
  }
  yield* endTurn(job, template, after ?? null, done)
})
