import { assert, describe, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Exit, type Layer, Option, type Scope } from "effect"
import { Egress, type IncomingResponse, type OutgoingRequest, type RequestFailed } from "../ports/Egress.ts"

/** URLs at which the adapter is tried. */
export interface EgressReceivers {
  /** Answers 201 with `made` at once. */
  readonly answering: string
  /** Fails at once, without a response. */
  readonly failing: string
  /** Never answers. */
  readonly silent: string
}

type Outcome = Exit.Exit<IncomingResponse, RequestFailed>

const requestTo = (url: string): OutgoingRequest => ({
  purpose: "webhooks",
  method: "POST",
  url,
  headers: {},
  body: "{}",
  deadlineMillis: 15_000,
  readBytesMax: 65_536
})

/** Begins a request. `first` waits for its first outcome, and `outcomes` has all of them. */
const begun = Effect.fnUntraced(function* (url: string) {
  const egress = yield* Egress
  const outcomes: Array<Outcome> = []
  const first = yield* Deferred.make<void>()
  const cancel = egress.begin(requestTo(url), (exit) => {
    outcomes.push(exit)
    Deferred.doneUnsafe(first, Effect.void)
  })
  return { outcomes, cancel, first: Deferred.await(first) }
})

const textOf = (body: Uint8Array) => new TextDecoder().decode(body)

const outcomeOf = (exit: Outcome) => {
  if (Exit.isFailure(exit)) return { reason: Option.getOrUndefined(Exit.findErrorOption(exit))?.reason }
  const { body, remoteAddress, status } = exit.value
  return { status, text: textOf(body), remoteAddress }
}

/** Holds requests that are begun to the same outcomes as those that are sent and waited for. */
export const egressContract = <R, E>(
  adapter: string,
  adapterLayer: Layer.Layer<Egress | R, E>,
  receivers: Effect.Effect<EgressReceivers, never, R | Scope.Scope>
) =>
  describe(`requests over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("reports the response that sending the same request brings", () =>
        Effect.gen(function* () {
          const { answering } = yield* receivers
          const answer = yield* Egress.use((egress) => egress.send(requestTo(answering)))
          const { first, outcomes } = yield* begun(answering)
          yield* first
          assert.deepStrictEqual(outcomes.map(outcomeOf), [outcomeOf(Exit.succeed(answer))])
          assert.deepInclude(outcomeOf(Exit.succeed(answer)), { status: 201, text: "made" })
        })
      )

      it.effect("reports the failure that sending the same request brings", () =>
        Effect.gen(function* () {
          const { failing } = yield* receivers
          const failure = yield* Effect.flip(Egress.use((egress) => egress.send(requestTo(failing))))
          const { first, outcomes } = yield* begun(failing)
          yield* first
          assert.deepStrictEqual(outcomes.map(outcomeOf), [{ reason: failure.reason }])
        })
      )

      it.effect("reports once for each of many", () =>
        Effect.gen(function* () {
          const { answering } = yield* receivers
          const all = yield* Effect.forEach(Array.from({ length: 20 }), () => begun(answering))
          for (const { first } of all) yield* first
          // Another one from beginning to end: a second report would have come by then.
          yield* Egress.use((egress) => egress.send(requestTo(answering)))
          assert.deepStrictEqual(
            all.map(({ outcomes }) => outcomes.length),
            all.map(() => 1)
          )
        })
      )

      it.effect("reports nothing of a request that was cancelled", () =>
        Effect.gen(function* () {
          const { answering, silent } = yield* receivers
          const { cancel, outcomes } = yield* begun(silent)
          cancel()
          yield* Egress.use((egress) => egress.send(requestTo(answering)))
          assert.isEmpty(outcomes)
        })
      )

      it.effect("does nothing when a request that has ended is cancelled", () =>
        Effect.gen(function* () {
          const { answering } = yield* receivers
          const { cancel, first, outcomes } = yield* begun(answering)
          yield* first
          cancel()
          const after = yield* Egress.use((egress) => egress.send(requestTo(answering)))
          assert.strictEqual(after.status, 201)
          assert.strictEqual(outcomes.length, 1)
        })
      )
    })
  })
