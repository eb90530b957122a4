import { Billing, spanAttributes } from "@agent-platform/billing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric, Tracer } from "effect"
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

describe("the figures of model calls", () => {
  const counted = (calls: ReadonlyArray<readonly [Parameters<typeof aCall>[0], Parameters<typeof anEnd>[1]]>) =>
    Effect.gen(function* () {
      const billing = yield* Billing
      for (const [given, end] of calls) {
        const call = aCall(given)
        yield* billing.reserveCall(call)
        yield* billing.settleCall(anEnd(call, end))
      }
      return (yield* Metric.snapshot).map(({ attributes = {}, id, state }) => ({ id, attributes, state }))
    }).pipe(Effect.provide(memory), Effect.provideService(Metric.MetricRegistry, new Map()))

  it.effect("are calls, tokens by kind, cost and time, by provider and model", () =>
    Effect.gen(function* () {
      const found = yield* counted([
        [{}, {}],
        [{}, { status: "error", errorCode: "rate_limit_exceeded" }]
      ])
      const labels = { provider: "openai", model: "gpt-4o-mini" }
      const stateOf = (id: string, attributes: object) =>
        found.find(
          (one) => one.id === id && JSON.stringify(one.attributes) === JSON.stringify({ ...labels, ...attributes })
        )?.state
      const calls = (status: string, error_type: string) =>
        stateOf("agent_platform_model_calls_total", { status, error_type })
      assert.deepInclude(calls("ok", "none"), { count: 1 })
      assert.deepInclude(calls("error", "rate_limit_exceeded"), { count: 1 })
      for (const [kind, count] of Object.entries({
        input: 76_000,
        output: 20_000,
        cache_read: 40_000,
        reasoning: 1_000
      })) {
        assert.deepInclude(stateOf("agent_platform_model_tokens_total", { kind }), { count }, kind)
      }
      assert.deepInclude(stateOf("agent_platform_model_cost_usd_total", {}), { count: 0.08 })
      const times = found.find(({ id }) => id === "gen_ai_client_operation_duration_seconds")
      assert.strictEqual(times?.attributes["gen_ai_provider_name"], "openai")
      assert.deepInclude(times?.state, { count: 2, sum: 0.02 })
    })
  )

  it.effect("name no model that has no price, and repeat no word of a provider that is not known", () =>
    Effect.gen(function* () {
      const found = yield* counted([
        [{ requestModel: "unknown" }, {}],
        [{}, { status: "error", errorCode: "a word of the tenant's own" }]
      ])
      const said = new Set(found.flatMap(({ attributes }) => Object.values(attributes)))
      assert.notInclude([...said], "unknown")
      assert.notInclude([...said], "a word of the tenant's own")
      assert.include([...said], "_other")
    })
  )

  it.effect("name a hundred models, however many there are prices for", () =>
    Effect.gen(function* () {
      const models = Array.from({ length: 130 }, (_, index) => [{ requestModel: `made-up-${index}` }, {}] as const)
      const found = yield* counted(models)
      const named = new Set(
        found.filter(({ id }) => id === "agent_platform_model_calls_total").map(({ attributes }) => attributes["model"])
      )
      assert.isAtMost(named.size, 101)
      assert.isTrue(named.has("_other"))
    })
  )
})
