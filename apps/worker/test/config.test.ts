/** The platform's own keys among the worker's settings. */
import { SettingInvalid } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Record, Redacted } from "effect"
import { config } from "../src/config.ts"

const SETTINGS = {
  DATABASE_URL: "postgres://nobody:nothing@127.0.0.1:1/none",
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
}

const reading = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(config, ConfigProvider.layer(ConfigProvider.fromUnknown({ ...SETTINGS, ...environment })))

const URL_OF_AZURE = "https://my-resource.openai.azure.com/openai/v1"

describe("the platform's own keys", () => {
  it.effect("are those that are set, each with its address where its provider has many", () =>
    Effect.gen(function* () {
      const { platformKeys } = yield* reading({
        PLATFORM_OPENAI_API_KEY: "sk-platform",
        PLATFORM_AZURE_API_KEY: "az-platform",
        PLATFORM_AZURE_BASE_URL: `${URL_OF_AZURE}/`,
        PLATFORM_BEDROCK_API_KEY: "",
        PLATFORM_BEDROCK_BASE_URL: "none"
      })
      const found = Record.map(platformKeys, (key) => [Redacted.value(key.value), key.baseUrl])
      assert.deepStrictEqual<unknown>(found, { openai: ["sk-platform", null], azure: ["az-platform", URL_OF_AZURE] })
      assert.deepStrictEqual((yield* reading({})).platformKeys, {})
    })
  )

  it.effect.each([
    [{ PLATFORM_AZURE_API_KEY: "az-platform" }, "PLATFORM_AZURE_BASE_URL is missing: PLATFORM_AZURE_API_KEY is set"],
    [{ PLATFORM_VERTEX_BASE_URL: URL_OF_AZURE }, "PLATFORM_VERTEX_API_KEY is missing: PLATFORM_VERTEX_BASE_URL is set"],
    [
      { PLATFORM_AZURE_API_KEY: "az-platform", PLATFORM_AZURE_BASE_URL: "my-resource" },
      "PLATFORM_AZURE_BASE_URL is not an http or https URL"
    ],
    [
      { PLATFORM_BEDROCK_API_KEY: "two words", PLATFORM_BEDROCK_BASE_URL: URL_OF_AZURE },
      "PLATFORM_BEDROCK_API_KEY is not a key of visible ASCII characters"
    ]
  ] as const)("are refused in half or in another form, without their values: %o", ([environment, words]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(reading(environment))
      assert.instanceOf(error, SettingInvalid)
      assert.include(error.message, words)
      assert.notInclude(error.message, "az-platform")
    })
  )
})
