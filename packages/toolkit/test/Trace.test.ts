import { currentTraceparent, formatTraceparent, inTrace, parseTraceparent } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"

const SAMPLED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

/** A tracer that keeps what it is asked for; its spans are Effect's own. */
const recording = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

const going = inTrace("runs.execute", { trace: SAMPLED, kind: "consumer", attributes: { run_id: "1" } })

describe("a traceparent", () => {
  it("is read as it was written", () => {
    const span = parseTraceparent(SAMPLED)
    assert.strictEqual(span?.traceId, "4bf92f3577b34da6a3ce929d0e0e4736")
    assert.strictEqual(span && formatTraceparent(span), SAMPLED)
    assert.isFalse(parseTraceparent(SAMPLED.replace(/01$/, "00"))?.sampled)
  })

  it("of a later version is read as far as this one knows", () => {
    assert.isTrue(parseTraceparent(`${SAMPLED.replace(/^00/, "01")}-more`)?.sampled)
  })

  it("that is none is taken for none", () => {
    const wrong = [
      "",
      SAMPLED.toUpperCase(),
      `${SAMPLED}-more`,
      SAMPLED.replace(/^00/, "ff"),
      SAMPLED.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32)),
      SAMPLED.replace("00f067aa0ba902b7", "0".repeat(16)),
      SAMPLED.slice(1)
    ]
    for (const text of wrong) assert.isUndefined(parseTraceparent(text), text)
  })
})

describe("what is done in a trace", () => {
  it.effect("is a span of it, and so is what follows from it", () =>
    Effect.gen(function* () {
      const { spans, tracer } = recording()
      const next = yield* currentTraceparent.pipe(going, Effect.withTracer(tracer))
      assert.deepStrictEqual(
        spans.map(({ name, traceId }) => [name, traceId]),
        [["runs.execute", "4bf92f3577b34da6a3ce929d0e0e4736"]]
      )
      assert.strictEqual(next, `00-4bf92f3577b34da6a3ce929d0e0e4736-${spans[0]?.spanId}-01`)
    })
  )

  it.effect("is no span where there is no trace, or nobody records any", () =>
    Effect.gen(function* () {
      const { spans, tracer } = recording()
      const without = inTrace("x", { trace: null, kind: "consumer", attributes: {} })
      assert.isNull(yield* currentTraceparent.pipe(without, Effect.withTracer(tracer)))
      assert.isNull(yield* going(currentTraceparent))
      assert.lengthOf(spans, 0)
    })
  )

  it.effect("hands nothing on of a trace that is not to be recorded", () =>
    Effect.gen(function* () {
      const { tracer } = recording()
      const unsampled = inTrace("x", { trace: SAMPLED.replace(/01$/, "00"), kind: "consumer", attributes: {} })
      assert.isNull(yield* currentTraceparent.pipe(unsampled, Effect.withTracer(tracer)))
    })
  )
})
