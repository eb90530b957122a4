import { atomic, Signals, WorkspaceId } from "@agent-platform/kernel"
import { Agent, AgentId, AgentStore, RUNS_READY, type RunId, Runs } from "@agent-platform/runs"
import { DateTime, Effect, Stream } from "effect"
import { EmbedError } from "../internal/EmbedError.ts"
import { invalid, readWhole } from "../internal/inputs.ts"
import { migrate } from "../internal/migrate.ts"
import { makeEmbeddedRuntime, thrownBy } from "../internal/runtime.ts"
import { tenantId, tenantName, uuidOf } from "../internal/tenant.ts"
import { startBackground } from "./background.ts"
import type { EmbeddedRuns, RunsPage } from "./EmbeddedRuns.ts"
import { translate } from "./errors.ts"
import {
  readJson,
  readMessage,
  readReason,
  readRunId,
  readRunPage,
  readSessionId,
  readSettings,
  readTag
} from "./inputs.ts"
import { layerOf } from "./layers.ts"
import { type RunsOptions, readOptions } from "./options.ts"
import type { Recipes } from "./recipes.ts"
import { eventOf, type Run, runOf } from "./views.ts"

const callerFor = (tenant: string) => {
  const organizationId = tenantId(tenant)
  const actor = { type: "system", id: "host", label: "host" } as const
  return { organizationId, workspaceId: WorkspaceId.make(organizationId), actor }
}

const STATUSES = ["queued", "running", "waiting", "succeeded", "failed", "cancelled"] as const

/** The id of the agent that stands for a recipe of a tenant; it follows from both names. */
const agentIdOf = (tenant: string, recipe: string): AgentId =>
  AgentId.make(uuidOf(tenantId(tenant), `recipe ${recipe}`))

/** Makes that agent when a tenant has a recipe executed for the first time. */
const ensureAgent = Effect.fnUntraced(function* (tenant: string, recipe: string) {
  const agents = yield* AgentStore
  const { organizationId, workspaceId } = callerFor(tenant)
  const id = agentIdOf(tenant, recipe)
  const missing = Effect.map(agents.find(workspaceId, id), (agent) => agent === undefined)
  if (!(yield* missing)) return
  yield* atomic(
    Effect.gen(function* () {
      // Called for its lock alone: of two calls that trigger the first run at once, one makes the agent.
      yield* agents.holdCount(workspaceId, 1)
      if (!(yield* missing)) return
      // Recipes are given the tenant by the agent's name.
      const settings = { name: tenantName(tenant), recipe }
      yield* agents.insert(Agent.created({ id, organizationId, workspaceId }, settings, yield* DateTime.now))
    })
  )
})

/** The largest number of an event: the largest integer of Postgres. */
const SEQ_MAX = 2_147_483_647

/** The domains whose tables are in the schema. */
const DOMAINS = ["runs"] as const

/**
 * Runs of plain functions for the tenants of a service: durable, with logs, questions and cancellation. Throws `EmbedError`
 * (`option_invalid`, `database_invalid`, `schema_invalid`) where an option cannot be used; nothing connects before the first
 * call. See `packages/embed/README.md`.
 */
export const createRuns = <const R extends Recipes>(options: RunsOptions<R>): EmbeddedRuns<R> => {
  const settings = readOptions(options)
  const { installation, notifies, recipes } = settings
  const runtime = makeEmbeddedRuntime({
    layer: layerOf(settings),
    background: startBackground(settings),
    translate,
    installation,
    domains: DOMAINS
  })
  const { close, run, runIn, start, whileOpen } = runtime
  const use = <A, E>(call: (runs: Runs["Service"]) => Effect.Effect<A, E>) => run(Runs.use(call))

  const requireRecipe = (recipe: string): string => {
    if (typeof recipe === "string" && Object.hasOwn(recipes, recipe)) return recipe
    const there = Object.keys(recipes).join(", ")
    throw new EmbedError("recipe_unknown", `There is no recipe ${JSON.stringify(recipe)}. There are: ${there}`, {
      recipe
    })
  }

  const read = (tenant: string, runId: RunId, waitSeconds: number) => {
    const query = { caller: callerFor(tenant), runId, waitSeconds }
    return Effect.map(
      Runs.use((runs) => runs.readRun(query)),
      (found): Run => runOf(tenantName(tenant), found)
    )
  }

  const filterOf = (tenant: string, { recipe, session, status, tag }: RunsPage) => {
    if (status !== undefined && !STATUSES.includes(status)) throw invalid(`status is one of ${STATUSES.join(", ")}`)
    return {
      agentId: recipe === undefined ? undefined : agentIdOf(tenant, requireRecipe(recipe)),
      sessionId: session === undefined ? undefined : readSessionId(session),
      tag: tag === undefined ? undefined : readTag(tag),
      ...(status === "waiting" ? { isWaiting: true } : { status })
    }
  }

  return {
    migrate: () => migrate(installation, DOMAINS),
    start,
    close,
    [Symbol.asyncDispose]: close,

    trigger: async (given, { client } = {}) => {
      const { recipe: named, tenant } = given
      const caller = callerFor(tenant)
      const recipe = requireRecipe(named)
      const agentId = agentIdOf(tenant, recipe)
      const command = { caller, agentId, recipe, input: readJson("input", given.input), ...readSettings(given) }
      await run(ensureAgent(tenant, recipe))
      const triggered = Runs.use((runs) => runs.triggerRun(command))
      const { value } = await runIn(client, triggered, notifies)
      return runOf(tenantName(tenant), value)
    },

    wake: () => run(atomic(Signals.use((signals) => signals.raise(RUNS_READY)))),

    get: async (tenant, runId) => run(read(tenant, readRunId(runId), 0)),

    wait: async (tenant, runId, { seconds = Number.POSITIVE_INFINITY } = {}) => {
      if (!(seconds >= 0)) throw invalid("seconds is a number from 0 on")
      return run(whileOpen(read(tenant, readRunId(runId), seconds)))
    },

    events: async function* (tenant, runId, { after = 0 } = {}) {
      const query = {
        caller: callerFor(tenant),
        runId: readRunId(runId),
        after: readWhole("after", after, 0, SEQ_MAX)
      }
      const log = await use((runs) => runs.followRunLog(query))
      const ended = Stream.interruptWhen(log, whileOpen(Effect.never))
      // A failure is thrown as by all other methods, also when entries came before it.
      const translated = Stream.catchCause(ended, (cause) =>
        Stream.die(thrownBy(cause, translate, installation?.schema))
      )
      for await (const event of Stream.toAsyncIterable(translated)) yield eventOf(event)
    },

    reply: async (tenant, runId, { data, message = "" }) => {
      const caller = callerFor(tenant)
      const id = readRunId(runId)
      const answer = {
        message: readMessage(message),
        ...(data === undefined ? {} : { data: readJson("data", data) })
      }
      const { value } = await use((runs) =>
        Effect.flatMap(runs.readRun({ caller, runId: id, waitSeconds: 0 }), ({ sessionId }) =>
          runs.replyToSession({ caller, sessionId, runId: id, ...answer })
        )
      )
      return runOf(tenantName(tenant), value)
    },

    cancel: async (tenant, runId, { immediately = false, reason = null } = {}) => {
      const caller = callerFor(tenant)
      const id = readRunId(runId)
      const cancellation = { caller, reason: readReason(reason), mode: immediately ? "immediate" : "graceful" } as const
      await use((runs) =>
        Effect.flatMap(runs.readRun({ caller, runId: id, waitSeconds: 0 }), ({ sessionId }) =>
          runs.cancelSession({ sessionId, ...cancellation })
        )
      )
      return run(read(tenant, id, 0))
    },

    list: async (tenant, page = {}) => {
      const query = { caller: callerFor(tenant), filter: filterOf(tenant, page), page: readRunPage(page) }
      const { items, next } = await use((runs) => runs.listRuns(query))
      return { items: items.map((found) => runOf(tenantName(tenant), found)), next }
    }
  }
}
