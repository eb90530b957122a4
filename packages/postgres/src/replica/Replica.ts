/** A standby that answers readings while it is known to follow closely, with the primary behind it. */
import { measure } from "@agent-platform/toolkit"
import { Cause, Clock, Effect, Exit, Option, Predicate, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { answeredWithin } from "./answeredWithin.ts"
import { askPrimary, askStandby, whyNoStandby } from "./askServers.ts"
import { makeReplicaMarks } from "./ReplicaMarks.ts"
import { replicaLag, replicaReads } from "./replicaMeasures.ts"

/** Up to so long a replica may have missed what the primary has committed when a reading of it begins. */
export const REPLICA_LAG_SECONDS_MAX = 5

/** How often the two are compared. */
const LOOK = "1 second"

/** How long a server may take to say where it is, and the replica to answer a reading before the primary is asked. */
const LOOK_SECONDS_MAX = 2
const READING_SECONDS_MAX = 5

/** How long marks are kept: a replica that is further behind than this is only known to be so. */
const MARKS_SECONDS = 60

/** Codes of a reading that was cancelled since what it read had to go: it holds back what it waits for, and can be repeated. */
const CONFLICTS = new Set(["40001", "40P01"])

const DEPTH_MAX = 8

const codesIn = (error: unknown, depth = 0): ReadonlyArray<string> => {
  if (depth > DEPTH_MAX || typeof error !== "object" || error === null) return []
  const own = Predicate.hasProperty(error, "code") && typeof error.code === "string" ? [error.code] : []
  const reason = Predicate.hasProperty(error, "reason") ? codesIn(error.reason, depth + 1) : []
  return [...own, ...reason, ...(Predicate.hasProperty(error, "cause") ? codesIn(error.cause, depth + 1) : [])]
}

const failureOf = (cause: Cause.Cause<unknown>): "conflict" | "failed" =>
  codesIn(Cause.squash(cause)).some((code) => CONFLICTS.has(code)) ? "conflict" : "failed"

/** Reads from the replica where that is right. */
export interface Replica {
  /** Whether it is known to have missed nothing for longer than the bound. */
  readonly isFresh: () => boolean
  /**
   * The reading over the replica while it is fresh, else over the primary. A reading that fails over the replica, is cancelled there
   * or takes long is made once over the primary.
   */
  readonly read: <A, R>(
    onReplica: Effect.Effect<A, never, R>,
    onPrimary: Effect.Effect<A, never, R>
  ) => Effect.Effect<A, never, R>
}

/** Compares the replica with the primary from now on, until the scope closes. It is not waited for. */
export const makeReplica = Effect.fnUntraced(function* (
  primary: SqlClient.SqlClient,
  replica: SqlClient.SqlClient,
  lagSecondsMax = REPLICA_LAG_SECONDS_MAX
): Effect.fn.Return<Replica, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
  const marks = makeReplicaMarks(MARKS_SECONDS)
  let identity: string | undefined
  /** Since when the replica may have missed something, for the measure. */
  let lastFreshAt = now()
  /** The same while it answers, and is one. */
  let freshAt: number | undefined
  let isUsed: boolean | undefined

  const isFresh = () => freshAt !== undefined && now() - freshAt <= lagSecondsMax

  const lookAtPrimary = Effect.gen(function* () {
    const at = now()
    const found = Option.getOrUndefined(yield* answeredWithin(askPrimary(primary), LOOK_SECONDS_MAX))
    if (found === undefined || Exit.isFailure(found)) return
    identity = found.value.identity
    marks.note(found.value.position, at)
  })

  /** Answers why the replica cannot be used, if it cannot. */
  const lookAtReplica = Effect.gen(function* () {
    const found = Option.getOrUndefined(yield* answeredWithin(askStandby(replica), LOOK_SECONDS_MAX))
    const position = found !== undefined && Exit.isSuccess(found) ? found.value.position : undefined
    const unfit =
      found !== undefined && Exit.isSuccess(found) && identity !== undefined && whyNoStandby(found.value, identity)
    freshAt = unfit || position === undefined ? undefined : marks.freshAt(position)
    if (freshAt !== undefined) lastFreshAt = freshAt
    if (found === undefined) return "does not answer"
    if (Exit.isFailure(found)) return "cannot be asked"
    return unfit || "is behind"
  })

  const look = Effect.gen(function* () {
    yield* lookAtPrimary
    const why = yield* lookAtReplica
    yield* measure(replicaLag, {}, now() - lastFreshAt)
    // A replica that has begun to follow a moment ago is none that is behind.
    const isEarly = isUsed === undefined && !isFresh() && now() - lastFreshAt <= lagSecondsMax
    if (isEarly || isUsed === isFresh()) return
    isUsed = isFresh()
    yield* isUsed
      ? Effect.logInfo("The replica is read from")
      : Effect.logWarning(`The replica is not read from: it ${why}`)
  })

  yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(LOOK))))

  const count = (outcome: string) => measure(replicaReads, { outcome }, 1)

  return {
    isFresh,
    read: (onReplica, onPrimary) =>
      Effect.suspend(() => {
        const instead = (outcome: string) => Effect.andThen(count(outcome), onPrimary)
        if (!isFresh()) return instead("behind")
        return Effect.flatMap(answeredWithin(onReplica, READING_SECONDS_MAX), (ended) => {
          const found = Option.getOrUndefined(ended)
          if (found !== undefined && Exit.isSuccess(found)) return Effect.as(count("replica"), found.value)
          const outcome = found === undefined ? "timeout" : failureOf(found.cause)
          // Until the next look: the readings that come meanwhile need not find out by themselves.
          if (outcome !== "conflict") freshAt = undefined
          return instead(outcome)
        })
      })
  }
})
