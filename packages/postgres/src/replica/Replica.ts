/** Readings over a standby while it is known to follow closely, and over the primary otherwise. */
import { measure } from "@agent-platform/toolkit"
import { Cause, Clock, Effect, Exit, Option, Predicate, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { answeredWithin } from "./answeredWithin.ts"
import { askPrimary, askStandby, whyNoStandby } from "./askServers.ts"
import { makeReplicaMarks } from "./ReplicaMarks.ts"
import { replicaLag, replicaReads } from "./replicaMeasures.ts"

/** The longest time for which a replica may lack commits of the primary when a reading over it begins. */
export const REPLICA_LAG_SECONDS_MAX = 5

/** How often the replica is compared with the primary. */
const LOOK = "1 second"

/** How long a server may take to tell its position, and the replica to answer a reading before the primary is asked. */
const LOOK_SECONDS_MAX = 2
const READING_SECONDS_MAX = 5

/** How long marks are kept. How far a replica is behind is known up to this time. */
const MARKS_SECONDS = 60

/** The SQLSTATEs of a reading that a standby cancels because it holds up the replay of the log. It says nothing against the replica. */
const CONFLICTS = new Set(["40001", "40P01"])

/** How deep an error's causes are searched for an SQLSTATE. */
const DEPTH_MAX = 8

const codesIn = (error: unknown, depth = 0): ReadonlyArray<string> => {
  if (depth > DEPTH_MAX || typeof error !== "object" || error === null) return []
  const own = Predicate.hasProperty(error, "code") && typeof error.code === "string" ? [error.code] : []
  const reason = Predicate.hasProperty(error, "reason") ? codesIn(error.reason, depth + 1) : []
  return [...own, ...reason, ...(Predicate.hasProperty(error, "cause") ? codesIn(error.cause, depth + 1) : [])]
}

const failureOf = (cause: Cause.Cause<unknown>): "conflict" | "failed" =>
  codesIn(Cause.squash(cause)).some((code) => CONFLICTS.has(code)) ? "conflict" : "failed"

/** A replica that is read from while it is fresh. */
export interface Replica {
  /** Whether it is known to lack nothing that was committed longer ago than the bound. */
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

/** Compares the replica with the primary until the scope closes. It returns before the first comparison is done. */
export const makeReplica = Effect.fnUntraced(function* (
  primary: SqlClient.SqlClient,
  replica: SqlClient.SqlClient,
  lagSecondsMax = REPLICA_LAG_SECONDS_MAX
): Effect.fn.Return<Replica, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
  const marks = makeReplicaMarks(MARKS_SECONDS)
  let identity: string | undefined
  /** The replica has all that was committed before this time, by the last comparison; undefined while it cannot be used. */
  let freshAt: number | undefined
  /** The last time that `freshAt` had, for the measure of the lag; the start where it never had one. */
  let lastFreshAt = now()
  /** Whether the log said last that the replica is read from; undefined while it has said nothing. */
  let isUsed: boolean | undefined

  const isFresh = () => freshAt !== undefined && now() - freshAt <= lagSecondsMax

  const lookAtPrimary = Effect.gen(function* () {
    const at = now()
    const found = Option.getOrUndefined(yield* answeredWithin(askPrimary(primary), LOOK_SECONDS_MAX))
    if (found === undefined || Exit.isFailure(found)) return
    identity = found.value.identity
    marks.note(found.value.position, at)
  })

  /** Asks the replica for its position. Returns the reason for the log in case it is not fresh. */
  const lookAtReplica = Effect.gen(function* () {
    const found = Option.getOrUndefined(yield* answeredWithin(askStandby(replica), LOOK_SECONDS_MAX))
    const standby = found !== undefined && Exit.isSuccess(found) ? found.value : undefined
    const unfit = standby === undefined || identity === undefined ? undefined : whyNoStandby(standby, identity)
    const position = unfit === undefined ? standby?.position : undefined
    freshAt = position === undefined ? undefined : marks.freshAt(position)
    if (freshAt !== undefined) lastFreshAt = freshAt
    if (found === undefined) return "does not answer"
    if (Exit.isFailure(found)) return "cannot be asked"
    return unfit ?? "is behind"
  })

  const look = Effect.gen(function* () {
    yield* lookAtPrimary
    const why = yield* lookAtReplica
    yield* measure(replicaLag, {}, now() - lastFreshAt)
    // Shortly after the start no mark may be old enough to compare with: the replica is not reported as behind yet.
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
          // The replica is not used until the next comparison, so that other readings do not fail over it first.
          if (outcome !== "conflict") freshAt = undefined
          return instead(outcome)
        })
      })
  }
})
