import { atomic, type UnitOfWork, type WorkspaceCaller } from "@agent-platform/kernel"
import { aCaller, anId, aTenant, Tenants } from "@agent-platform/kernel/testing"
import { DateTime, Effect } from "effect"
import type { Agent } from "../Agent.ts"
import { endingOf } from "../endingOf.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunAcceptance } from "../ports/RunAcceptance.ts"
import type { RunLog } from "../ports/RunLog.ts"
import { type ClaimRequest, RunQueue, type Shares } from "../ports/RunQueue.ts"
import { RunReader } from "../ports/RunReader.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import type { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { Run, RunId, type TurnEnd } from "../Run.ts"
import { NO_TURNS } from "../worker/shares.ts"
import { anAgent, aRun, aSession, BUILT_AT } from "./builders.ts"

/** The stores that the suites about runs test. */
export type RunStores =
  | UnitOfWork
  | AgentStore
  | SessionStore
  | RunReader
  | RunAcceptance
  | RunQueue
  | RunSettlement
  | SessionRuns
  | RunLog
  | Tenants

/** The time `seconds` after the builders' agents, sessions and runs were made. */
export const at = (seconds: number): DateTime.Utc => DateTime.add(BUILT_AT, { seconds })

/** A time far in the future. */
export const NEVER = DateTime.makeUnsafe("9000-01-01T00:00:00.000Z")

/** Adds runs one after the other; a session begins with the first of its runs. */
export const addRuns = (...runs: ReadonlyArray<Run>) =>
  Effect.forEach(
    runs,
    Effect.fnUntraced(function* (run) {
      const sessions = yield* SessionStore
      const acceptance = yield* RunAcceptance
      const session = yield* sessions.find(run.workspaceId, run.sessionId)
      yield* acceptance.insert([{ run, events: [], beginsSession: session === undefined }])
    }),
    { discard: true }
  )

/** Stores an agent of a tenant of its own. */
export const givenAgent = Effect.fnUntraced(function* (override: Partial<Agent> = {}) {
  const agent = anAgent(aCaller(yield* aTenant()), override)
  yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
  return agent
})

/** Stores an agent with a session and queued runs in it, in the order in which they will be executed. */
export const givenRuns = (runs: number, override: Partial<Run> = {}, caller: WorkspaceCaller = aCaller()) =>
  atomic(
    Effect.gen(function* () {
      yield* Tenants.use((tenants) => tenants.make(caller))
      const agent = anAgent(caller, { version: 3, model: "openai/gpt-5" })
      const session = aSession(agent)
      yield* AgentStore.use((agents) => agents.insert(agent))
      const made = Array.from({ length: runs }, () => aRun(agent, session, override))
      yield* addRuns(...made)
      return { agent, session, runs: made, first: made[0]! }
    })
  )

/** Adds a run to the session that `givenRuns` made. */
export const join = (
  { agent, session }: Pick<Effect.Success<ReturnType<typeof givenRuns>>, "agent" | "session">,
  override: Partial<Run> = {}
) => {
  const run = aRun(agent, session, override)
  return Effect.as(atomic(addRuns(run)), run)
}

/** A fresh `by` for a claim, which no other claimer has. */
export const freshBy = () => anId(RunId).replaceAll("-", "").slice(-16)

type Owner = Pick<Run, "organizationId" | "workspaceId">

/** Shares of `runs` runs for these workspaces and their organizations, and of none for others, such as those of other tests. */
export const sharesOnlyFor = (owners: ReadonlyArray<Owner>, runs = 1_000): Shares => ({
  organizations: new Map(owners.map(({ organizationId }) => [organizationId, { runs, perWorkspace: 0 }])),
  others: { runs: 0, perWorkspace: 0 },
  workspaces: new Map(owners.map(({ workspaceId }) => [workspaceId, runs]))
})

/** Claims all due runs in the workspace of `run`. Suites share a database, so the claim must leave the runs of other tests. */
export const claimInWorkspaceOf = (run: Owner, override: Partial<ClaimRequest> = {}) =>
  Effect.map(
    atomic(
      RunQueue.use((store) =>
        store.claim({
          by: freshBy(),
          max: 1_000,
          shares: sharesOnlyFor([run]),
          after: NO_TURNS,
          leaseSeconds: 3_600,
          ...override
        })
      )
    ),
    ({ claimed }) => claimed
  )

/** Stores a run and claims it. */
export const aClaimedRun = Effect.gen(function* () {
  const { first } = yield* givenRuns(1)
  const [claimed] = yield* claimInWorkspaceOf(first)
  return claimed!
})

/** The run after it has ended with success. */
export const succeeded = (run: Run, outcome: Partial<TurnEnd> = {}): Run =>
  Run.finished(run, endingOf({ _tag: "Succeeded", result: "done", message: "done", ...outcome } as TurnEnd), at(5))

/** The run after it has ended on a question. */
export const asking = (run: Run): Run =>
  Run.finished(run, endingOf({ _tag: "Paused", message: "Shall I?", interrupt: { amount: 40 } }), at(5))

/** Writes the new state of a run, and returns the ids that were written. */
export const settle = (claimToken: string | null, run: Run) =>
  Effect.map(
    atomic(
      RunSettlement.use((store) =>
        Effect.andThen(store.hold([{ runId: run.id, claimToken }]), store.settle([{ claimToken, run }]))
      )
    ),
    ({ written }) => written
  )

/** The stored run. */
export const stored = (run: Run) => RunReader.use((store) => store.find(run.workspaceId, run.id))

/** Whether the held runs include the one with this id. */
export const has = (held: ReadonlyArray<{ readonly run: Run }>, id: RunId): boolean =>
  held.some(({ run }) => run.id === id)
