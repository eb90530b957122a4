import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Agent } from "../Agent.ts"
import { RunLog } from "../ports/RunLog.ts"
import { type ClaimedRun, RunStore } from "../ports/RunStore.ts"
import { begun, isTerminal, type Run, type RunId } from "../Run.ts"
import type { RunEvent } from "../RunEvent.ts"
import { isMeant, newestFirst, toRunPage } from "../RunList.ts"
import type { SessionId } from "../Session.ts"

interface RunRow {
  readonly run: Run
  readonly claimToken: string | null
  readonly leaseUntil: number
  readonly lastSeq: number
}

const byAge = (one: RunRow, two: RunRow) => (one.run.id < two.run.id ? -1 : 1)
const isExpired = (run: Run, now: DateTime.Utc) =>
  run.expiresAt !== null && DateTime.isLessThanOrEqualTo(run.expiresAt, now)

/** Runs and their logs over a `MemoryDatabase`: one row a run, which both fence by its claim. */
export const layerRunStore: Layer.Layer<RunStore | RunLog, never, MemoryDatabase | SecureRandom.SecureRandom> =
  Layer.unwrap(
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const random = yield* SecureRandom.SecureRandom
      const rows = database.table<RunRow>("run")
      const agents = database.table<Agent>("agent")
      const events = database.table<ReadonlyArray<RunEvent>>("run_event")

      const unfinished = (sessionId: SessionId) =>
        Effect.map(rows.all, (all) =>
          all.filter(({ run }) => run.sessionId === sessionId && !isTerminal(run)).sort(byAge)
        )
      const byToken = (token: string) => Effect.map(rows.all, (all) => all.find((row) => row.claimToken === token))
      const lease = (seconds: number, now: DateTime.Utc) => DateTime.toEpochMillis(now) + seconds * 1000

      const store = RunStore.of({
        insert: (run) => rows.put(run.id, { run, claimToken: null, leaseUntil: 0, lastSeq: 0 }),
        find: (workspaceId, id) =>
          Effect.map(rows.get(id), (row) => (row?.run.workspaceId === workspaceId ? row.run : undefined)),
        list: (workspaceId, filter, { before, limit }) =>
          Effect.map(rows.all, (all) => {
            const meant = all
              .map(({ run }) => run)
              .filter((run) => run.workspaceId === workspaceId && isMeant(run, filter))
              .filter((run) => before === undefined || newestFirst(before, run) < 0)
            return toRunPage(meant.sort(newestFirst).slice(0, limit + 1), limit)
          }),
        countQueued: (workspaceId, limit) =>
          Effect.map(rows.all, (all) =>
            Math.min(limit, all.filter(({ run }) => run.workspaceId === workspaceId && run.status === "queued").length)
          ),
        isBusy: (sessionId) => Effect.map(unfinished(sessionId), (found) => found.length > 0),
        claim: (ids, options) =>
          Effect.gen(function* () {
            const claimed: Array<ClaimedRun> = []
            for (const id of new Set(ids)) {
              const row = yield* rows.get(id)
              if (row === undefined || row.run.status !== "queued" || isExpired(row.run, options.now)) continue
              const inSession = yield* unfinished(row.run.sessionId)
              const [first] = inSession
              const isBusy = inSession.some((other) => other.run.status === "running")
              const agent = yield* agents.get(row.run.agentId)
              if (isBusy || first?.run.id !== id || agent === undefined) continue
              const run = begun(row.run, options.now)
              const claimToken = yield* random.uuidV4()
              yield* rows.put(id, { ...row, run, claimToken, leaseUntil: lease(options.leaseSeconds, options.now) })
              claimed.push({ run, agent, claimToken })
            }
            return claimed
          }),
        renew: (tokens, options) =>
          database.atomic(
            Effect.gen(function* () {
              const held = new Set<string>()
              for (const token of tokens) {
                const row = yield* byToken(token)
                if (row === undefined) continue
                held.add(token)
                yield* rows.put(row.run.id, { ...row, leaseUntil: lease(options.leaseSeconds, options.now) })
              }
              return held
            })
          ),
        settle: (settled) =>
          Effect.gen(function* () {
            const written: Array<{ readonly run: Run; readonly next: Run | undefined }> = []
            for (const { claimToken, run } of settled) {
              const row = yield* rows.get(run.id)
              if (row === undefined || row.claimToken !== claimToken || isTerminal(row.run)) continue
              if (claimToken === null && row.run.status !== "queued") continue
              yield* rows.put(run.id, { ...row, run, claimToken: null, leaseUntil: 0 })
              const [first] = yield* unfinished(run.sessionId)
              written.push({ run, next: isTerminal(run) && first?.run.status === "queued" ? first.run : undefined })
            }
            return written
          }),
        lapsed: (options) =>
          Effect.map(rows.all, (all) => {
            const now = DateTime.toEpochMillis(options.now)
            return all
              .flatMap(({ claimToken, leaseUntil, run }) =>
                claimToken !== null && leaseUntil <= now ? [{ claimToken, run }] : []
              )
              .slice(0, options.max)
          }),
        expired: (options) =>
          Effect.map(rows.all, (all) =>
            all
              .map(({ run }) => run)
              .filter((run) => run.status === "queued" && isExpired(run, options.now))
              .slice(0, options.max)
          )
      })

      const log = RunLog.of({
        append: (entries) =>
          Effect.gen(function* () {
            for (const entry of entries) {
              const row = yield* rows.get(entry.runId)
              if (row === undefined || row.claimToken !== entry.claimToken) continue
              const earlier = (yield* events.get(entry.runId)) ?? []
              const appended = entry.events.map(
                (event, index): RunEvent => ({
                  runId: entry.runId,
                  sessionId: row.run.sessionId,
                  seq: row.lastSeq + index + 1,
                  ...event
                })
              )
              yield* events.put(entry.runId, [...earlier, ...appended])
              yield* rows.put(entry.runId, { ...row, lastSeq: row.lastSeq + appended.length })
            }
          }),
        read: (runId, options) =>
          Effect.map(events.get(runId), (found) =>
            (found ?? []).filter((event) => event.seq > options.after).slice(0, options.limit)
          ),
        lastSeq: (runId: RunId) => Effect.map(rows.get(runId), (row) => row?.lastSeq ?? 0)
      })

      return Layer.merge(Layer.succeed(RunStore, store), Layer.succeed(RunLog, log))
    })
  )
