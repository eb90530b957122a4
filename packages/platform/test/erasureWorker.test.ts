/** Who has a turn when several erasures are asked for, and how many there may be. */
import { layer as billingStores } from "@agent-platform/billing/memory"
import { layer as feedsStores } from "@agent-platform/feeds/memory"
import { atomic, DEFAULT_QUOTAS, ErasureStore, JobQueue, Quotas, type WorkspaceCaller } from "@agent-platform/kernel"
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { TenancyStore } from "@agent-platform/keys"
import { layer as keysStores } from "@agent-platform/keys/memory"
import { anOrganization, aWorkspace } from "@agent-platform/keys/testing"
import { ClosingSeconds, continueErasure, Erasures, eraseSubject, startErasureWorker } from "@agent-platform/platform"
import { AgentStore, RunEraser } from "@agent-platform/runs"
import { layer as runsStores } from "@agent-platform/runs/memory"
import { addRuns, anAgent, aRun, aSession } from "@agent-platform/runs/testing"
import { layer as webhooksStores } from "@agent-platform/webhooks/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { pauseSecondsOf } from "../src/erasure/endTurn.ts"

const memory = Erasures.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(keysStores, runsStores, webhooksStores, billingStores, feedsStores)),
  Layer.provideMerge(kernel),
  Layer.provide(Layer.succeed(Quotas, { ...DEFAULT_QUOTAS, erasures: 2 }))
)

const test = (title: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof memory> | Scope.Scope>) =>
  it.live(title, () => Effect.provide(effect, Layer.fresh(memory)))

/** A caller in a tenant of its own. */
const founded = Effect.gen(function* () {
  const tenancy = yield* TenancyStore
  const organization = anOrganization()
  const workspace = aWorkspace({ organizationId: organization.id })
  yield* atomic(Effect.andThen(tenancy.insertOrganization(organization), tenancy.insertWorkspace(workspace)))
  return aCaller({ organizationId: organization.id, workspaceId: workspace.id })
})

const ask = Effect.fnUntraced(function* (
  { actor, organizationId }: WorkspaceCaller,
  subject: Pick<Parameters<Erasures["Service"]["askErasure"]>[0], "kind" | "subjectId" | "workspaceId">
) {
  const { value } = yield* Erasures.use((erasures) =>
    erasures.askErasure({ ...subject, organizationId, actor, idempotency: undefined })
  )
  return value
})

const askAgent = Effect.fnUntraced(function* (caller: WorkspaceCaller) {
  const agent = anAgent(caller)
  yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
  return yield* ask(caller, { kind: "agent", subjectId: agent.id, workspaceId: caller.workspaceId })
})

const askWorkspace = (caller: WorkspaceCaller) =>
  ask(caller, { kind: "workspace", subjectId: caller.workspaceId, workspaceId: null })

const read = ({ id, organizationId }: Effect.Success<ReturnType<typeof ask>>) =>
  Effect.map(
    ErasureStore.use((store) => store.find(organizationId, id)),
    (found) => ({ state: found?.state, turns: found?.turns ?? 0 })
  )

const until = <E, R>(isSo: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    while (!(yield* isSo)) yield* Effect.sleep("5 millis")
  })

const isDone = (erasure: Parameters<typeof read>[0]) => Effect.map(read(erasure), ({ state }) => state === "done")

/** A worker of one slot, and how long it leaves a closed tenant alone. */
const working = (closingSeconds: number) =>
  Effect.provideService(
    startErasureWorker({ erasuresMax: 1, pauseSeconds: 0.01, pollSeconds: 0.01 }),
    ClosingSeconds,
    closingSeconds
  )

describe("erasures", () => {
  test(
    "that wait leave their slot to those of others, and go on by themselves",
    Effect.gen(function* () {
      const waiting = [yield* askWorkspace(yield* founded), yield* askWorkspace(yield* founded)]
      const other = yield* askAgent(yield* founded)
      yield* Effect.scoped(Effect.andThen(working(3_600), until(isDone(other))))
      for (const one of waiting) assert.strictEqual((yield* read(one)).state, "pending")
      yield* working(0)
      for (const one of waiting) yield* until(isDone(one))
    })
  )

  test(
    "of an organization cancel fifty runs in a step, in whatever workspaces",
    Effect.gen(function* () {
      const caller = yield* founded
      const { actor, organizationId } = caller
      const workspaces = yield* Effect.forEach([1, 2, 3], () => {
        const workspace = aWorkspace({ organizationId })
        return Effect.as(atomic(TenancyStore.use((store) => store.insertWorkspace(workspace))), workspace.id)
      })
      for (const workspaceId of workspaces) {
        const agent = anAgent({ ...caller, workspaceId })
        const session = aSession(agent)
        yield* atomic(addRuns(...Array.from({ length: 40 }, () => aRun(agent, session))))
      }
      const { id } = yield* ask(
        { ...caller, actor },
        { kind: "organization", subjectId: organizationId, workspaceId: null }
      )
      const step = continueErasure({ organization_id: organizationId, erasure_id: id })
      const left = RunEraser.use((runs) => Effect.map(runs.unfinishedOf(organizationId, 1_000), (all) => all.length))
      const seen: Array<number> = []
      for (let count = 0; count < 3; count++) {
        assert.strictEqual(yield* step, "more")
        seen.push(yield* left)
      }
      assert.deepStrictEqual(seen, [70, 20, 0])
    })
  )

  it("that wait for long are looked at less often", () => {
    assert.deepStrictEqual(
      [0, 90, 3_600, 86_400].map((age) => pauseSecondsOf(age, 2)),
      [2, 9, 60, 60]
    )
  })

  test(
    "are led on by one job each, also where the job of a turn comes again",
    Effect.gen(function* () {
      const waiting = yield* askWorkspace(yield* founded)
      const again = { organization_id: waiting.organizationId, erasure_id: waiting.id, turn: 0 }
      for (let count = 0; count < 9; count++) {
        yield* atomic(JobQueue.use((queue) => queue.enqueue(eraseSubject, again)))
      }
      yield* working(3_600)
      yield* until(Effect.map(read(waiting), ({ turns }) => turns > 2))
      const jobs = yield* MemoryDatabase.use((database) => database.table("job").all)
      assert.lengthOf([...jobs], 1)
    })
  )

  test(
    "of an organization are bounded, as long as they have not ended",
    Effect.gen(function* () {
      const caller = yield* founded
      const first = yield* askAgent(caller)
      yield* askAgent(caller)
      const refused = yield* Effect.flip(askAgent(caller))
      assert.deepInclude(refused, { _tag: "QuotaExceeded", quota: "erasures", of: "organization", limit: 2 })
      const { kind, subjectId, workspaceId } = first
      assert.strictEqual((yield* ask(caller, { kind, subjectId, workspaceId })).id, first.id)
      yield* askAgent(yield* founded)
      yield* working(0)
      yield* until(isDone(first))
      yield* askAgent(caller)
    })
  )
})
