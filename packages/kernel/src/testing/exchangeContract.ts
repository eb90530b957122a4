import { assert, describe, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Exit, type Layer, Option, type Scope } from "effect"
import { Egress, type ExchangeAnswer, type ExchangeFailed, type ExchangeRequest } from "../ports/Egress.ts"

/** URLs at which the adapter is tried. */
export interface ExchangeReceivers {
  /** Answers 201 with `made` at once. */
  readonly answering: string
  /** Brings no answer, at once. */
  readonly failing: string
  /** Never answers. */
  readonly silent: string
}

type Told = Exit.Exit<ExchangeAnswer, ExchangeFailed>

const requestTo = (url: string): ExchangeRequest => ({
  method: "POST",
  url,
  headers: {},
  body: "{}",
  deadlineMillis: 15_000,
  readBytesMax: 65_536
})

/** Begins an exchange and waits until something is told of it; `told` holds all that was. */
const begun = Effect.fnUntraced(function* (url: string) {
  const egress = yield* Egress
  const told: Array<Told> = []
  const first = yield* Deferred.make<void>()
  const callOff = egress.begin(requestTo(url), (exit) => {
    told.push(exit)
    Deferred.doneUnsafe(first, Effect.void)
  })
  return { told, callOff, first: Deferred.await(first) }
})

const textOf = (body: Uint8Array) => new TextDecoder().decode(body)

const outcomeOf = (exit: Told) => {
  if (Exit.isFailure(exit)) return { reason: Option.getOrUndefined(Exit.findErrorOption(exit))?.reason }
  const { body, remoteAddress, status } = exit.value
  return { status, text: textOf(body), remoteAddress }
}

/** Holds exchanges that were begun to the same outcomes as those that are waited for. */
export const exchangeContract = <R, E>(
  adapter: string,
  adapterLayer: Layer.Layer<Egress | R, E>,
  receivers: Effect.Effect<ExchangeReceivers, never, R | Scope.Scope>
) =>
  describe(`exchanges over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("tells the answer that waiting for the same exchange brings", () =>
        Effect.gen(function* () {
          const { answering } = yield* receivers
          const answer = yield* Egress.use((egress) => egress.exchange(requestTo(answering)))
          const { first, told } = yield* begun(answering)
          yield* first
          assert.deepStrictEqual(told.map(outcomeOf), [outcomeOf(Exit.succeed(answer))])
          assert.deepInclude(outcomeOf(Exit.succeed(answer)), { status: 201, text: "made" })
        })
      )

      it.effect("tells the failure that waiting for the same exchange brings", () =>
        Effect.gen(function* () {
          const { failing } = yield* receivers
          const failure = yield* Effect.flip(Egress.use((egress) => egress.exchange(requestTo(failing))))
          const { first, told } = yield* begun(failing)
          yield* first
          assert.deepStrictEqual(told.map(outcomeOf), [{ reason: failure.reason }])
        })
      )

      it.effect("tells once of each of many", () =>
        Effect.gen(function* () {
          const { answering } = yield* receivers
          const all = yield* Effect.forEach(Array.from({ length: 20 }), () => begun(answering))
          for (const { first } of all) yield* first
          // Another one from beginning to end: what would be told twice has been told by then.
          yield* Egress.use((egress) => egress.exchange(requestTo(answering)))
          assert.deepStrictEqual(
            all.map(({ told }) => told.length),
            all.map(() => 1)
          )
        })
      )

      it.effect("tells nothing of an exchange that was called off", () =>
        Effect.gen(function* () {
          const { answering, silent } = yield* receivers
          const { callOff, told } = yield* begun(silent)
          callOff()
          yield* Egress.use((egress) => egress.exchange(requestTo(answering)))
          assert.isEmpty(told)
        })
      )

      it.effect("takes calling off what has ended for nothing", () =>
        Effect.gen(function* () {
          const { answering } = yield* receivers
          const { callOff, first, told } = yield* begun(answering)
          yield* first
          callOff()
          const after = yield* Egress.use((egress) => egress.exchange(requestTo(answering)))
          assert.strictEqual(after.status, 201)
          assert.strictEqual(told.length, 1)
        })
      )
    })
  })
