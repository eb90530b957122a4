/** The settings that the API needs to start, and its messages about invalid ones. */
import { SettingInvalid } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { layer } from "../src/layers.ts"

const SETTINGS = {
  DATABASE_URL: "postgres://nobody:nothing@127.0.0.1:1/none",
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
}

describe("a setting that the API cannot start with", () => {
  it.effect.each([
    ["DATABASE_URL", ""],
    ["DATABASE_URL", "mysql://localhost/x"],
    ["SECRETS_KEY", ""],
    ["SECRETS_KEY", "too short"],
    ["PORT", "0x1F90"],
    ["HOST", "a b"],
    ["BASE_URL", "agents.internal"],
    ["BASE_URL", "https://me@agents.example.com"],
    ["BASE_URL", "https://:secret@agents.example.com"],
    ["EGRESS_ALLOW_LOOPBACK", "maybe"],
    ["EGRESS_ALLOW_PROVIDERS", "https://vllm.internal"],
    ["EGRESS_ALLOW_MCP", "10.0.0.0/8,169.254.169.254"],
    ["DATABASE_POOL_MAX", "9999999"]
  ] as const)("is named, and its value is not: %s='%s'", ([variable, value]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.build(layer))
      assert.instanceOf(error, SettingInvalid)
      assert.match(error.message, new RegExp(`^${variable} (?:is|has) .+`))
      if (value !== "") assert.notInclude(error.message, value)
    }).pipe(
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ ...SETTINGS, [variable]: value }))),
      Effect.scoped
    )
  )
})
