import { makeBind, useCase } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, References, Tracer } from "effect"

class Store extends Context.Service<Store, string>()("Store") {}
class Clockwork extends Context.Service<Clockwork, string>()("Clockwork") {}

/** More ports than a context holds before it copies itself. */
const others = [..."ABCDEFGHIJ"].map((name) => Context.Service<string>(name))

const readStore = useCase("tests.readStore")(function* (suffix: string) {
  return `${yield* Store}${suffix}`
})

describe("A use case that is bound to ports", () => {
  const bound = makeBind(Store, Clockwork, ...others).pipe(
    Effect.map((bind) => bind(readStore)),
    Effect.provideService(Clockwork, "bound"),
    Effect.provideService(Store, "bound"),
    Effect.provideContext(Context.makeUnsafe<string>(new Map(others.map(({ key }) => [key, key]))))
  )

  it.effect("asks its caller for nothing", () =>
    Effect.gen(function* () {
      const read = yield* bound
      assert.strictEqual(yield* read("!"), "bound!")
    })
  )

  it.effect("never takes a port from its caller", () =>
    Effect.gen(function* () {
      const read = yield* bound
      assert.strictEqual(yield* Effect.provideService(read("!"), Store, "the caller's"), "bound!")
    })
  )

  it.effect("holds what else its caller has about it", () =>
    Effect.gen(function* () {
      const bind = yield* makeBind(Store).pipe(Effect.provideService(Store, "bound"))
      const annotations = bind(() => Effect.flatMap(Store, () => References.CurrentLogAnnotations))
      assert.deepStrictEqual(yield* annotations().pipe(Effect.annotateLogs("request_id", "7")), { request_id: "7" })
    })
  )

  it.effect("leaves its caller's ports as they were", () =>
    Effect.gen(function* () {
      const read = yield* bound
      const both = Effect.andThen(read("!"), Effect.service(Store))
      assert.strictEqual(yield* Effect.provideService(both, Store, "the caller's"), "the caller's")
    })
  )
})

describe("A use case", () => {
  const spansOf = <A>(effect: Effect.Effect<A>) => {
    const names: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        names.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    return Effect.as(Effect.provideService(effect, Tracer.Tracer, tracer), names)
  }

  it.effect("is a span of its name where spans are recorded", () =>
    Effect.gen(function* () {
      const spans = yield* spansOf(Effect.provideService(readStore("!"), Store, "a"))
      assert.deepStrictEqual(spans, ["tests.readStore"])
    })
  )

  it.effect("is none where they are not", () =>
    Effect.gen(function* () {
      const inside = useCase("tests.span")(function* () {
        return yield* Effect.option(Effect.currentSpan)
      })
      assert.strictEqual((yield* inside())._tag, "None")
    })
  )
})
