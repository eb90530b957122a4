/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import type { WorkspaceId } from "@agent-platform/kernel"
import { RunLog } from "@agent-platform/runs"
import {
  runListContract,
  runLogContract,
  runQueueContract,
  sessionContract,
  sessionListContract
} from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"
import { NO_TURNS } from "../src/worker/shares.ts"
import { brokenRuns, memory, type Runs, runFault } from "./runFault.ts"

type Log = RunLog["Service"]

const queueFault = (fault: string, broken: (store: Runs) => Partial<Runs>, caughtBy: ReadonlyArray<string>) =>
  bite(fault, () => runQueueContract("a broken store", brokenRuns(broken)), caughtBy)

const logFault = (fault: string, broken: (log: Log) => Partial<Log>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    RunLog,
    RunLog.use((log) => Effect.succeed({ ...log, ...broken(log) }))
  )
  bite(fault, () => runLogContract("a broken log", Layer.provideMerge(layer, memory)), caughtBy)
}

runFault(
  "a store that forgets how the log of a run begins",
  (store) => ({ insert: (added) => store.insert(added.map((one) => ({ ...one, events: [] }))) }),
  [
    "writes a run together with the session that it begins and the beginning of its log",
    "writes runs that begin sessions and runs that join others at once, each in its own line",
    "writes many runs that begin sessions at once, of several workspaces, whatever they are to be"
  ]
)

runFault(
  "a store that logs no beginning of an attempt",
  (store) => ({ claim: (request) => store.claim({ ...request, loggedAt: undefined }) }),
  ["logs the beginning of an attempt with its claim, and its end with the outcome"]
)

runFault(
  "a store that forgets how the log of a run ends",
  (store) => ({ settle: (settled) => store.settle(settled.map((one) => ({ ...one, events: [] }))) }),
  ["logs the beginning of an attempt with its claim, and its end with the outcome"]
)

runFault(
  "a store that looks for runs by their id alone",
  (store) => {
    const owners = new Map<string, WorkspaceId>()
    return {
      insert: (added) => {
        for (const { run } of added) owners.set(run.id, run.workspaceId)
        return store.insert(added)
      },
      find: (workspaceId, id) => store.find(owners.get(id) ?? workspaceId, id)
    }
  },
  ["hides a run from every other workspace"]
)

runFault(
  "a store that takes a stale claim for the present one",
  (store) => {
    const present = new Map<string, string>()
    const current = (runId: string, claimToken: string | null) =>
      claimToken === null ? null : (present.get(runId) ?? claimToken)
    return {
      claim: (request) =>
        Effect.tap(store.claim(request), ({ claimed }) =>
          Effect.sync(() => {
            for (const { claimToken, run } of claimed) present.set(run.id, claimToken)
          })
        ),
      hold: (claims) => store.hold(claims.map((one) => ({ ...one, claimToken: current(one.runId, one.claimToken) }))),
      settle: (settled) =>
        store.settle(settled.map((one) => ({ ...one, claimToken: current(one.run.id, one.claimToken) })))
    }
  },
  [
    "fences a slow worker off: a run that was taken over keeps what its new holder writes",
    "logs the beginning of an attempt with its claim, and its end with the outcome"
  ]
)

runFault("a store that never finds a claim lapsed", () => ({ lapsed: () => Effect.succeed([]) }), [
  "finds a claim lapsed when its lease is over, unless it was renewed"
])

runFault("a store that finds no claim by who made it", () => ({ claimedBy: () => Effect.succeed([]) }), [
  "finds the runs of a claim by who made it, while they are under that claim"
])

runFault(
  "a store that takes the runs of all claims for those of one",
  (store) => ({
    claimedBy: () => store.claimedBy("")
  }),
  ["finds the runs of a claim by who made it, while they are under that claim"]
)

runFault(
  "a store whose renewal does nothing",
  () => ({ renew: (tokens) => Effect.succeed(new Map(tokens.map((token) => [token, null]))) }),
  [
    "finds a claim lapsed when its lease is over, unless it was renewed",
    "fences a slow worker off: a run that was taken over keeps what its new holder writes"
  ]
)

runFault(
  "a store that finds a run without its claim",
  (store) => ({
    findHeld: (id) => Effect.map(store.findHeld(id), (held) => held && { ...held, claimToken: null })
  }),
  ["finds a run with its claim, whose workspace nobody has to name"]
)

queueFault(
  "a store that leaves a run to its agent under any claim",
  () => ({ awaitCallback: () => Effect.succeed(true) }),
  ["leaves a claimed run to its agent, for so long and under the same claim, and renews nothing of it"]
)

runFault(
  "a store that takes every id for an unfinished run",
  () => ({ unfinishedAmong: (ids) => Effect.succeed(new Set(ids)) }),
  ["knows which of many ids are runs that have not ended"]
)

queueFault(
  "a queue that serves runs in their order of arrival alone",
  (store) => ({
    claim: (request) => {
      const { max, shares } = request
      return Effect.gen(function* () {
        const claimed: Array<Effect.Success<ReturnType<typeof store.claim>>["claimed"][number]> = []
        for (const [id, runs] of [...shares.workspaces].sort(([one], [other]) => (one < other ? -1 : 1))) {
          const workspaces = new Map([...shares.workspaces.keys()].map((other) => [other, other === id ? runs : 0]))
          const some = yield* store.claim({
            ...request,
            max: max - claimed.length,
            shares: { ...shares, workspaces }
          })
          claimed.push(...some.claimed)
        }
        return { claimed, last: NO_TURNS }
      })
    }
  }),
  [
    "lets the organizations take turns, however many workspaces one has and however long their queues are",
    "lets the workspaces of an organization take turns, however long the queue of one is",
    "goes on behind the organization that had its turn last, and round again",
    "goes on in each organization behind the workspace that had its turn last, and round again",
    "gives no workspace and no organization more than its share",
    "keeps no run waiting for the long ones of another organization, however many workspaces that has"
  ]
)

queueFault(
  "a queue that serves workspaces in turn, whosever they are",
  (store) => ({
    claim: (request) => {
      const { shares } = request
      return Effect.gen(function* () {
        const claimed: Array<Effect.Success<ReturnType<typeof store.claim>>["claimed"][number]> = []
        for (const id of shares.workspaces.keys()) {
          const workspaces = new Map([...shares.workspaces.keys()].map((other) => [other, other === id ? 1 : 0]))
          const max = Math.min(1, request.max - claimed.length)
          claimed.push(...(yield* store.claim({ ...request, max, shares: { ...shares, workspaces } })).claimed)
        }
        return { claimed, last: NO_TURNS }
      })
    }
  }),
  [
    "lets the organizations take turns, however many workspaces one has and however long their queues are",
    "lets the workspaces of an organization take turns, however long the queue of one is",
    "goes on behind the organization that had its turn last, and round again",
    "goes on in each organization behind the workspace that had its turn last, and round again",
    "gives no workspace and no organization more than its share",
    "keeps no run waiting for the long ones of another organization, however many workspaces that has"
  ]
)

queueFault(
  "a queue that shares among workspaces alone",
  (store) => ({
    claim: (request) => {
      const { organizations } = request.shares
      const open = new Map([...organizations].map(([id, share]) => [id, { ...share, runs: 1_000 }]))
      return store.claim({ ...request, shares: { ...request.shares, organizations: open } })
    }
  }),
  [
    "gives no workspace and no organization more than its share",
    "keeps no run waiting for the long ones of another organization, however many workspaces that has"
  ]
)

queueFault(
  "a queue that forgets the shares of workspaces",
  (store) => ({
    claim: (request) => {
      const open = new Map([...request.shares.workspaces.keys()].map((id) => [id, 1_000]))
      return store.claim({ ...request, shares: { ...request.shares, workspaces: open } })
    }
  }),
  ["gives no workspace and no organization more than its share"]
)

queueFault(
  "a queue that fences off a run that is to be cancelled at once",
  (store) => ({ overdue: (options) => store.overdue({ ...options, graceSeconds: 0 }) }),
  ["finds a run that goes on although it was to be cancelled, once the grace is over"]
)

const sessionFault = (fault: string, broken: (store: Runs) => Partial<Runs>, caughtBy: ReadonlyArray<string>) =>
  bite(fault, () => sessionContract("a broken store", brokenRuns(broken)), caughtBy)

sessionFault(
  "a store that takes every answer",
  (store) => ({ answer: (id, by) => Effect.as(store.answer(id, by), true) }),
  ["lets one of many answers win", "cancels the open questions of one session, after which nobody answers them"]
)

bite(
  "a list that takes every question for one that waits",
  () =>
    runListContract(
      "a broken store",
      brokenRuns((store) => ({
        list: (workspaceId, { isWaiting, ...filter }, page) => store.list(workspaceId, filter, page)
      }))
    ),
  ["lists the runs whose question waits: neither answered nor cancelled"]
)

bite(
  "a store that knows of no question when it says how sessions stand",
  () =>
    sessionListContract(
      "a broken store",
      brokenRuns((store) => ({
        standings: (ids) =>
          Effect.map(
            store.standings(ids),
            (found) => new Map([...found].map(([id, standing]) => [id, { ...standing, question: undefined }]))
          )
      }))
    ),
  ["knows how many sessions stand at once, and leaves out those without runs"]
)

logFault("a log that measures itself by its events", (log) => ({ bytes: log.lastSeq }), [
  "says how much it holds, as JSON with no more than the white space between its parts"
])

logFault(
  "a log that appends an entry twice",
  (log) => ({ append: (entries) => Effect.andThen(log.append(entries), log.append(entries)) }),
  [
    "gives back events whole and numbered from one, without gaps",
    "reads on after any number, so much at a time",
    "ends a page with the event that fills it, however many were asked for",
    "gives out no number twice when many append at once",
    "appends nothing of a transaction that fails",
    "keeps the logs of several runs apart in one append"
  ]
)

logFault(
  "a log that reads from the beginning whatever it is asked",
  (log) => ({ read: (runId, options) => log.read(runId, { ...options, after: 0 }) }),
  [
    "reads on after any number, so much at a time",
    "ends a page with the event that fills it, however many were asked for"
  ]
)

logFault(
  "a log whose pages are as large as their events",
  (log) => ({
    read: Effect.fnUntraced(function* (runId, { after, limit }) {
      const first = yield* log.read(runId, { after, limit })
      const rest = { after: first.at(-1)?.seq ?? after, limit: limit - first.length }
      return rest.limit === 0 ? first : [...first, ...(yield* log.read(runId, rest))]
    })
  }),
  ["ends a page with the event that fills it, however many were asked for"]
)

bite(
  "a store that reminds of a question again and again",
  () =>
    sessionContract(
      "a broken store",
      brokenRuns((store) => {
        const seen = new Map<string, Effect.Success<ReturnType<Runs["remind"]>>[number]>()
        return {
          remind: (request) =>
            Effect.map(store.remind(request), (found) => {
              for (const run of found) seen.set(run.id, run)
              return [...seen.values()].slice(0, request.max)
            })
        }
      })
    ),
  ["reminds of each open question that was asked before a time, once for any number of callers"]
)
