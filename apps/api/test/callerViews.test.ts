/** A run's failures and log as browser keys, and records without costs, are shown them. */
import { assert, describe, it } from "@effect/vitest"
import { errorWithoutCosts, withoutCosts } from "../src/views/callerViews.ts"

const LOGGED = "The model is asked again: openai answered 404 model_not_found: there is no gpt-5-large"

describe("without costs", () => {
  it("a failure names neither amounts nor a provider or its words, and others are as they were", () => {
    const shown = (errorCode: Parameters<typeof errorWithoutCosts>[0]["errorCode"]) =>
      errorWithoutCosts({ errorCode, error: LOGGED })
    for (const code of [
      "provider_error",
      "provider_rate_limited",
      "credential_invalid",
      "provider_key_missing"
    ] as const) {
      assert.strictEqual(shown(code), "The model's provider refused or failed")
      assert.deepStrictEqual(withoutCosts({ type: "run.failed", data: { error_code: code, error: LOGGED } }), {
        error_code: code,
        error: "The model's provider refused or failed"
      })
    }
    assert.strictEqual(shown("call_exceeds_cap"), "A model call was refused")
    assert.strictEqual(shown("agent_error"), LOGGED)
    const own = { error_code: "agent_error", error: LOGGED }
    assert.deepStrictEqual(withoutCosts({ type: "run.failed", data: own }), own)
  })

  it("an entry of the log about a provider has none of its words, and those of agents are as they were", () => {
    assert.deepStrictEqual(
      withoutCosts({ type: "log", data: { message: LOGGED, provider: "openai", about_provider: true } }),
      {
        message: "Something about the model's provider"
      }
    )
    const own = { message: "Looking at the order", provider: "our warehouse" }
    assert.deepStrictEqual(withoutCosts({ type: "log", data: own }), own)
  })
})
