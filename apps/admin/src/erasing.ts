/** Erasing by an operator: counted, confirmed, handed to the workers, and followed to its end. */
import { type Erasure, isErasureFinished } from "@agent-platform/kernel"
import { type ErasureSubject, Erasures, type ErasureTotals } from "@agent-platform/platform"
import { CommandFailed, CommandRefused } from "@agent-platform/process"
import { Console, DateTime, Effect, Layer, Option } from "effect"
import { Flag } from "effect/cli"
import { config } from "./config.ts"
import { JsonFlag } from "./described.ts"
import { countFlag, switchFlag } from "./flags.ts"
import { layerJobs } from "./layers.ts"
import { OPERATOR } from "./operator.ts"
import { printJson } from "./printed.ts"
import { makeProgress } from "./progress.ts"
import { AN_ORGANIZATION } from "./shapes.ts"

/** How often an erasure is read while it is followed. */
const LOOK_MILLIS = 500

/** The flags of every command that erases. */
export const erasingFlags = {
  dryRun: switchFlag("dry-run", "Count what would go, and change nothing"),
  confirm: Flag.String("confirm").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription(
      "The id of what is erased, once more: nothing is erased without it, and nothing brings it back"
    ),
    Flag.optional
  ),
  waitSeconds: countFlag(
    "wait-seconds",
    "SECONDS",
    "How long to follow the erasure; 600 without it, 0 for not at all",
    {
      minimum: 0,
      maximum: 86_400,
      otherwise: 600
    }
  )
}

/** An example of the JSON that such a command prints. */
export const AN_ERASURE = {
  id: "01a1fd56-5a00-7c0b-a1c7-0c2b6ad1b7de",
  kind: "organization",
  resource_id: AN_ORGANIZATION.id,
  state: "done",
  dry_run: false,
  counts: { runs: { done: 1_204, total: 1_204 }, log_entries: { done: 88_312, total: 88_312 } },
  created_at: "2026-11-21T05:10:00.123Z",
  finished_at: "2026-11-21T05:12:03.456Z"
}

interface Erasing {
  readonly dryRun: boolean
  readonly confirm: Option.Option<string>
  readonly waitSeconds: number
}

const rowOf = ({ counts, createdAt, finishedAt, id, kind, state, subjectId }: Erasure) => ({
  id,
  kind,
  resource_id: subjectId,
  state,
  dry_run: false,
  counts,
  created_at: DateTime.formatIso(createdAt),
  finished_at: finishedAt === null ? null : DateTime.formatIso(finishedAt)
})

const nothingToErase = ({ kind }: ErasureSubject) =>
  new CommandRefused({ message: `There is no such ${kind}, or it is erased already` })

/** How much is gone of all that was counted. */
const progressOf = ({ counts }: Erasure) => {
  const all = Object.values(counts)
  const totals = all.map(({ total }) => total)
  return {
    done: all.reduce((sum, { done }) => sum + done, 0),
    total:
      totals.includes(null) || all.length === 0
        ? undefined
        : totals.reduce<number>((sum, total) => sum + (total ?? 0), 0)
  }
}

/** Shows how far the workers have come, until the erasure has ended or the time is over. */
const follow = Effect.fnUntraced(function* (asked: Erasure, waitSeconds: number) {
  const erasures = yield* Erasures
  const show = yield* makeProgress
  let erasure = asked
  for (let waited = 0; waited < waitSeconds * 1_000 && !isErasureFinished(erasure); waited += LOOK_MILLIS) {
    yield* show({ label: `erasing, ${erasure.state}`, ...progressOf(erasure) })
    yield* Effect.sleep(LOOK_MILLIS)
    const { id, organizationId } = asked
    erasure = yield* Effect.orDie(erasures.readErasure({ organizationId, within: undefined, id }))
  }
  return erasure
})

const sentenceOf = (erasure: Erasure) => {
  const gone = Object.entries(erasure.counts).map(([kind, { done }]) => `${done} ${kind}`)
  return erasure.state === "done"
    ? `The ${erasure.kind} is erased: ${gone.length === 0 ? "there was nothing in it" : gone.join(", ")}`
    : `The ${erasure.kind} is closed, and erased by the workers. Run this again to see how far they are`
}

/** The preview for people. Null stands for too much to count, and is shown in words: a number would be taken for the count. */
export const previewOf = ({ kind, subjectId }: ErasureSubject, counts: ErasureTotals): string =>
  [
    `This would erase the ${kind} ${subjectId}:`,
    ...Object.entries(counts).map(([name, total]) => `${name}: ${total ?? "not counted beforehand, there may be some"}`)
  ].join("\n")

const act = Effect.fnUntraced(function* (subject: ErasureSubject, { confirm, dryRun, waitSeconds }: Erasing) {
  const erasures = yield* Erasures
  const { kind, subjectId } = subject
  if (dryRun) {
    const counts = yield* Effect.mapError(erasures.countErasure(subject), () => nothingToErase(subject))
    if (yield* JsonFlag) return yield* printJson({ kind, resource_id: subjectId, dry_run: true, counts })
    return yield* Console.log(previewOf(subject, counts))
  }
  if (Option.getOrUndefined(confirm) !== subjectId) {
    return yield* new CommandRefused({
      message: `This erases the ${kind} for good. Say so by --confirm ${subjectId}, or count first by --dry-run`
    })
  }
  const asked = yield* erasures.askErasure({ ...subject, actor: OPERATOR, idempotency: undefined }).pipe(
    Effect.catchTag("NothingToErase", () => Effect.fail(nothingToErase(subject))),
    Effect.catchTag(["ErasureNotFound", "IdempotencyKeyReused", "IdempotencyInProgress", "QuotaExceeded"], Effect.die)
  )
  const erasure = yield* Effect.scoped(follow(asked.value, waitSeconds))
  if (erasure.state === "failed") {
    return yield* new CommandFailed({
      message: `The erasure ${erasure.id} failed too often, and was given up: the workers' log says why. Ask again`
    })
  }
  return yield* (yield* JsonFlag) ? printJson(rowOf(erasure)) : Console.log(sentenceOf(erasure))
})

/** Erases something of an organization, or counts it. */
export const eraseByOperator = (subject: ErasureSubject, options: Erasing) =>
  Effect.flatMap(config, (settings) =>
    Effect.provide(act(subject, options), Layer.provide(Erasures.layer, layerJobs(settings)))
  )
