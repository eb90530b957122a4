/** The probe's requests, and its reading of the answers of each provider, over real HTTP. */
import { UnitOfWork } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { type Provider, ProviderProbe } from "@agent-platform/keys"
import { EgressProviderProbe } from "@agent-platform/models"
import { assert, describe, it, layer as suite } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { ANSWERS, type Listing, type Row, rejected, unreachable, unsupported } from "./answers.ts"
import { layerAdmitting } from "./layerAdmitting.ts"
import { ask, FakeProvider, fixture, KEY, layer } from "./support.ts"

suite(layer, { excludeTestServices: true })("asking a provider about a key", (it) => {
  for (const [provider, rows] of Object.entries(ANSWERS) as Array<[Listing, ReadonlyArray<Row>]>) {
    describe(provider, () => {
      for (const [name, expected] of rows) {
        it.effect(`reads ${name} as ${expected.type}`, () =>
          Effect.gen(function* () {
            const fake = yield* FakeProvider
            fake.answerWith(fixture(name))
            assert.deepStrictEqual(yield* ask(provider), expected)
          })
        )
      }
    })
  }

  it.effect("shows the key in the header of the provider, and never in the address", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      const expected: ReadonlyArray<readonly [Provider, string, Readonly<Record<string, string>>]> = [
        ["openai", "/openai/v1/models", { authorization: `Bearer ${KEY}` }],
        ["anthropic", "/anthropic/v1/models?limit=1", { "x-api-key": KEY, "anthropic-version": "2023-06-01" }],
        ["google", "/google/v1beta/models?pageSize=1", { "x-goog-api-key": KEY }],
        ["azure", "/azure/openai/v1/models", { "api-key": KEY }],
        ["bedrock", "/bedrock/foundation-models", { authorization: `Bearer ${KEY}` }],
        ["openai_compatible", "/compatible/v1/models", { authorization: `Bearer ${KEY}` }]
      ]
      for (const [provider, url, headers] of expected) {
        fake.answerWith(fixture("openai_compatible/unauthorized"))
        yield* ask(provider)
        const [request, ...more] = fake.seen
        assert.isEmpty(more)
        assert.strictEqual(request?.method, "GET")
        assert.strictEqual(request?.url, url)
        assert.deepInclude(request?.headers, headers)
        const carrying = Object.values(request?.headers ?? {}).filter((value) => String(value).includes(KEY))
        assert.strictEqual(carrying.length, 1)
      }
    })
  )

  it.effect("sends the key that it is asked about whatever keys the environment holds, and none for an empty one", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      const names = [
        "AZURE_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY"
      ]
      const before = names.map((name) => process.env[name])
      for (const name of names) process.env[name] = `from-the-environment-${name}`
      yield* Effect.gen(function* () {
        for (const provider of Object.keys(ANSWERS) as Array<Listing>) {
          fake.answerWith(fixture("openai_compatible/unauthorized"))
          yield* ask(provider)
          assert.include(JSON.stringify(fake.seen), KEY)
          assert.notInclude(JSON.stringify(fake.seen), "from-the-environment")
          fake.answerWith(fixture(`${provider}/models`))
          assert.deepStrictEqual(yield* ask(provider, ""), {
            type: "rejected",
            providerStatus: null,
            providerCode: null
          })
          assert.isEmpty(fake.seen)
        }
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            names.forEach((name, index) => {
              if (before[index] === undefined) delete process.env[name]
              else process.env[name] = before[index]
            })
          })
        )
      )
    })
  )

  it.effect("answers nothing of a key that the provider repeats, whole or in part", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      const echoes = ["{{key}}", `invalid_${KEY.slice(3, 20)}`, `key ${KEY}`, KEY.slice(-9)]
      for (const code of echoes) {
        for (const provider of ["openai", "openai_compatible"] as const) {
          fake.answerWith({
            status: 401,
            headers: { "content-type": "application/json" },
            body: { error: { message: `Incorrect key: ${KEY}`, code, type: code } }
          })
          assert.deepStrictEqual(yield* ask(provider), { type: "rejected", providerStatus: 401, providerCode: null })
        }
      }
      fake.answerWith(fixture("google/consumer_suspended"))
      assert.notInclude(JSON.stringify(yield* ask("google")), KEY.slice(0, 12))
    })
  )

  it.effect("believes a compatible server that takes the key only when it refuses nobody's", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      fake.answerWith(fixture("openai_compatible/models"), fixture("openai_compatible/unauthorized"))
      assert.deepStrictEqual(yield* ask("openai_compatible"), { type: "accepted" })
      assert.isUndefined(fake.seen[1]?.headers.authorization)
      fake.answerWith(fixture("openai_compatible/models"))
      assert.deepStrictEqual(yield* ask("openai_compatible"), unsupported(200, null))
    })
  )

  it.effect("takes a page for no answer about the key, be it a success or a refusal", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      const page = (status: number) => ({
        status,
        headers: { "content-type": "text/html" },
        body: "<html>Sorry, you have been blocked</html>"
      })
      for (const provider of Object.keys(ANSWERS) as Array<Listing>) {
        fake.answerWith(page(200))
        assert.deepStrictEqual(yield* ask(provider), unsupported(200, null))
        for (const status of [403, 302, 502, 503]) {
          fake.answerWith(page(status))
          assert.deepStrictEqual(yield* ask(provider), unreachable(status, null))
        }
      }
    })
  )

  it.effect("reads no more of an endless answer than it needs", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      fake.answerWith({
        status: 401,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ error: { code: "invalid_api_key", message: "x".repeat(1_000_000) } })
      })
      assert.deepStrictEqual(yield* ask("openai"), rejected(401, null))
    })
  )

  it.effect("is unreachable where there is no answer", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      fake.answerWith()
      assert.deepStrictEqual(yield* ask("anthropic"), unreachable(null, null))
    })
  )
})

describe("the probe", () => {
  it.effect("calls nothing on loopback where only other purposes are admitted there", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      fake.answerWith(fixture("openai_compatible/models"))
      const closed = EgressProviderProbe.layer({
        openai: fake.url,
        anthropic: fake.url,
        google: fake.url,
        googleToken: fake.url
      }).pipe(Layer.provide(layerAdmitting("webhooks", "agents", "tools", "mcp")))
      yield* Effect.gen(function* () {
        const probe = yield* ProviderProbe
        const key = Redacted.make(KEY)
        assert.deepStrictEqual(yield* probe.probe({ provider: "openai", baseUrl: null, key }), unreachable(null, null))
        const compatible = { provider: "openai_compatible", baseUrl: fake.url, key } as const
        assert.deepStrictEqual(yield* probe.probe(compatible), unreachable(null, null))
        assert.strictEqual((yield* Effect.flip(probe.admit(fake.url)))._tag, "UrlNotPublic")
      }).pipe(Effect.provide(closed))
      assert.isEmpty(fake.seen)
    }).pipe(Effect.provide(layer))
  )

  it.effect("dies inside a transaction", () =>
    Effect.gen(function* () {
      const unit = yield* UnitOfWork
      assert.isTrue(Exit.hasDies(yield* Effect.exit(unit.atomic(ask("openai")))))
    }).pipe(Effect.provide(Layer.merge(layer, kernel)))
  )
})
