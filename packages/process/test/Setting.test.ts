import { parseInteger, read, type Setting, SettingInvalid, setting, settings } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"

const readFrom = <A>(definition: Setting<A>, environment: Record<string, string>) =>
  Effect.provideService(read(definition), ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: environment }))

const size = setting({
  variable: "SIZE",
  decides: "How large it is.",
  expects: "a whole number from 1 to 10",
  fallback: "3",
  parse: parseInteger(1, 10)
})

describe("a setting", () => {
  it.effect("has the value of its variable, or its default when that is absent or empty", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readFrom(size, { SIZE: "7" }), 7)
      assert.strictEqual(yield* readFrom(size, {}), 3)
      assert.strictEqual(yield* readFrom(size, { SIZE: "" }), 3)
    })
  )

  for (const value of ["0", "11", "seven", "7.5", "-7", " 7", "1e1"]) {
    it.effect(`refuses ${JSON.stringify(value)} and names the variable, not the value`, () =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(readFrom(size, { SIZE: value }))
        assert.instanceOf(refused, SettingInvalid)
        assert.strictEqual(refused.message, "SIZE is not a whole number from 1 to 10")
      })
    )
  }

  it.effect("that must be there says what it is for when it is missing", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(readFrom(settings.databaseUrl, {}))
      assert.match(refused.message, /^DATABASE_URL is missing: it must be the URL of a Postgres/)
    })
  )

  it.effect("never repeats a value that may be a secret", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(readFrom(settings.databaseUrl, { DATABASE_URL: "mysql://me:hunter2@db/x" }))
      assert.notInclude(refused.message, "hunter2")
    })
  )
})

describe("pairs as OpenTelemetry writes them", () => {
  const headersOf = (text: string) =>
    Effect.map(readFrom(settings.otlpHeaders, { OTEL_EXPORTER_OTLP_HEADERS: text }), Redacted.value)

  it.effect("are names and percent-encoded values, with commas and perhaps spaces between", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* headersOf("api-key=a%2Cb, authorization=Basic%20YWJj=="), {
        "api-key": "a,b",
        authorization: "Basic YWJj=="
      })
      assert.deepStrictEqual(yield* headersOf(""), {})
      const resource = { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=production,empty=" }
      assert.deepStrictEqual(yield* readFrom(settings.otlpResource, resource), {
        "deployment.environment.name": "production",
        empty: ""
      })
    })
  )

  it.effect("are refused where they are none, and headers where they cannot be sent, without repeating them", () =>
    Effect.gen(function* () {
      for (const wrong of ["secret", "=secret", "a=%zz", "a b=secret", "a=line%0Abreak", "a=%ff"]) {
        const refused = yield* Effect.flip(headersOf(wrong))
        assert.match(refused.message, /^OTEL_EXPORTER_OTLP_HEADERS is not pairs such as/)
        assert.notInclude(refused.message, "secret")
      }
    })
  )
})
