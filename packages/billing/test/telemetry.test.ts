import { Billing, spanAttributes } from "@agent-platform/billing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { aCall, anEnd, memory } from "./callSupport.ts"

describe("the span of a model call", () => {
  it.effect("begins and ends when the call did, and carries the attributes of generative AI", () => {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.gen(function* () {
      const billing = yield* Billing
      const call = aCall()
      yield* billing.reserveCall(call)
      const end = anEnd(call, { responseModel: "gpt-4o-mini-2024-07-18", durationMillis: 250 })
      yield* billing.settleCall(end)
      yield* billing.settleCall(end)
      const mine = spans.filter(({ name }) => name === "chat gpt-4o-mini")
      assert.strictEqual(mine.length, 1)
      const { attributes, kind, status } = mine[0]!
      assert.strictEqual(kind, "client")
      assert.deepInclude(Object.fromEntries(attributes), {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
        "gen_ai.usage.input_tokens": 38_000,
        "gen_ai.usage.output_tokens": 10_000,
        "agent_platform.cost_usd": "0.04"
      })
      assert.strictEqual(status._tag, "Ended")
      if (status._tag === "Ended") assert.strictEqual(status.endTime - status.startTime, 250_000_000n)
    }).pipe(Effect.provide(memory), Effect.withTracer(tracer))
  })

  it("names what went wrong, and says where nobody knows the price", () => {
    const call = aCall()
    const end = anEnd(call, { status: "error", errorCode: "rate_limited" })
    const attributes = spanAttributes({ ...end, usage: end.usage!, costUsd: null, reservedUsd: null })
    assert.deepInclude(attributes, { "error.type": "rate_limited", "agent_platform.cost_usd": "unpriced" })
  })
})
