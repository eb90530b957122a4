/** Limits the number of open long answers: streams, requests that wait, and records. docs/http.md, Streams. */
import { type Caller, CurrentCaller, TooManyRequests } from "@agent-platform/contract"
import { beginAtZero, measure } from "@agent-platform/toolkit"
import { Context, Effect, Layer, Metric, type Scope } from "effect"
import { ApiSettings } from "./ApiSettings.ts"
import { type Refusal, UntilRefused } from "./CredentialWatch.ts"
import { streamRefusals, streamsOpen } from "./measures.ts"

/** Most long answers at a time in this process. */
export interface StreamLimits {
  readonly perCredential: number
  readonly perWorkspace: number
  readonly perProcess: number
}

const LIMITS = ["credential", "workspace", "organization", "process"] as const

/** A limit against which a caller's long answers count. */
interface Limit {
  readonly limit: (typeof LIMITS)[number]
  readonly who: string
  readonly key: string
  readonly max: number
}

/** Who opens a long answer. */
type Opener = Pick<Caller, "organizationId" | "workspaceId"> & { readonly credential: { readonly id: string } }

const limitsOf = (
  { credential, organizationId, workspaceId }: Opener,
  { perCredential, perProcess, perWorkspace }: StreamLimits
): ReadonlyArray<Limit> => [
  { limit: "credential", who: "The credential", key: `credential ${credential.id}`, max: perCredential },
  ...(workspaceId === undefined
    ? []
    : [{ limit: "workspace" as const, who: "The workspace", key: `workspace ${workspaceId}`, max: perWorkspace }]),
  // One organization gets at most half, however many workspaces it has.
  {
    limit: "organization",
    who: "The organization",
    key: `organization ${organizationId}`,
    max: Math.ceil(perProcess / 2)
  },
  { limit: "process", who: "This process", key: "process", max: perProcess }
]

const tooMany = ({ max, who }: Limit) =>
  new TooManyRequests({
    code: "too_many_streams",
    detail: `${who} has ${max} streams and waiting answers open, which is the most. Close one, or ask again later`
  })

/** Counts long answers and refuses those beyond a limit. */
export class LongAnswers extends Context.Service<
  LongAnswers,
  {
    /**
     * Counts a long answer of the current caller until the request is over. Returns an effect that fails once its credential is
     * not accepted any more. Fails with 429 when a limit is reached.
     */
    readonly open: Effect.Effect<Effect.Effect<never, Refusal>, TooManyRequests, CurrentCaller | Scope.Scope>
    /** Counts a long answer of somebody with another credential than a key or a session. */
    readonly openFor: (opener: Opener) => Effect.Effect<void, TooManyRequests, Scope.Scope>
  }
>()("@agent-platform/api/LongAnswers") {
  static readonly layer: Layer.Layer<LongAnswers, never, ApiSettings> = Layer.effect(
    LongAnswers,
    Effect.gen(function* () {
      const { streams } = yield* ApiSettings
      yield* beginAtZero(streamsOpen, [{}])
      yield* beginAtZero(
        streamRefusals,
        LIMITS.map((limit) => ({ limit }))
      )
      const counts = new Map<string, number>()
      const countOf = (key: string) => counts.get(key) ?? 0
      const add = (limits: ReadonlyArray<Limit>, by: number) => {
        for (const { key } of limits) {
          const count = countOf(key) + by
          if (count === 0) counts.delete(key)
          else counts.set(key, count)
        }
        return Metric.modify(streamsOpen.of({}), by)
      }

      const count = (limits: ReadonlyArray<Limit>) =>
        Effect.suspend(() => {
          const full = limits.find(({ key, max }) => countOf(key) >= max)
          return full === undefined
            ? add(limits, 1)
            : Effect.andThen(measure(streamRefusals, { limit: full.limit }, 1), Effect.fail(tooMany(full)))
        })

      const openFor = (opener: Opener) => {
        const limits = limitsOf(opener, streams)
        return Effect.asVoid(Effect.acquireRelease(count(limits), () => Effect.suspend(() => add(limits, -1))))
      }

      const open = Effect.gen(function* () {
        yield* openFor(yield* CurrentCaller)
        return yield* UntilRefused
      })
      return { open, openFor }
    })
  )
}
