/** Registering and listing a workspace's own keys for model providers. Spec: BYOK. */
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { answer, BYOK, KEY, list, post, REFUSED, registered } from "./byokSupport.ts"
import { layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("provider keys", (it) => {
  describe("POST /api/v1/byok/{provider}", () => {
    it.effect("answers 201 with the key, which its provider takes, and never its value", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        yield* answer({ type: "accepted" })
        const { json, status, text } = yield* post(tenant, {
          key: KEY,
          name: "Production",
          priority: 5,
          fallback: "platform",
          allowed_models: ["gpt-5", "gpt-5-mini*"]
        })
        assert.strictEqual(status, 201)
        const { created_at, fingerprint, id, last_validated_at, ...rest } = json as unknown as Record<string, unknown>
        assert.deepStrictEqual(rest, {
          provider: "openai",
          name: "Production",
          hint: "sk-p…wxyz",
          status: "active",
          limited_until: null,
          priority: 5,
          fallback: "platform",
          allowed_models: ["gpt-5", "gpt-5-mini*"],
          base_url: null,
          version: 1,
          last_used_at: null,
          last_error: null
        })
        assert.match(`${id} ${created_at} ${last_validated_at}`, /^[0-9a-f-]{36} \S+Z \S+Z$/)
        assert.match(String(fingerprint), /^[0-9a-f]{16}$/)
        const same = yield* post(tenant, { key: KEY })
        assert.strictEqual(String(same.json["fingerprint"]), fingerprint)
        assert.notInclude(text, KEY)
      })
    )

    it.effect("fails closed unless set otherwise: no fallback, first come by priority 100, every model", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        yield* answer({ type: "accepted" })
        const { json } = yield* post(
          tenant,
          { key: KEY, name: null, base_url: null, allowed_models: null },
          "anthropic"
        )
        assert.strictEqual(String(json["fallback"]), "none")
        assert.strictEqual(Number(json["priority"]), 100)
        assert.strictEqual(String(json["name"]), "anthropic")
        assert.isNull(json["allowed_models"])
      })
    )

    it.effect("answers 422 with what the provider said when it refuses the key, and keeps nothing", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        yield* answer({ type: "rejected", providerStatus: 400, providerCode: "API_KEY_INVALID" })
        const { json, status, text } = yield* post(tenant, { key: KEY }, "google")
        assert.strictEqual(status, 422)
        assert.strictEqual(String(json["code"]), "provider_rejected_key")
        assert.strictEqual(Number(json["provider_status"]), 400)
        assert.strictEqual(String(json["provider_code"]), "API_KEY_INVALID")
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), "/key")
        assert.notInclude(text, KEY)
        assert.isEmpty((yield* list(tenant)).json["items"])
      })
    )

    it.effect("answers 201 with an unverified key when the provider is out of reach, or is not to be asked", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        const probe = yield* MemoryProviderProbe
        yield* answer({ type: "unreachable", providerStatus: 503, providerCode: null })
        const { json, status } = yield* post(tenant, { key: KEY })
        assert.strictEqual(status, 201)
        assert.strictEqual(String(json["status"]), "unverified")
        assert.strictEqual(String(json["last_error"]!["code"]), "unreachable")
        assert.strictEqual(Number(json["last_error"]!["provider_status"]), 503)
        yield* answer(REFUSED)
        const asked = probe.questions.length
        const unasked = yield* post(tenant, { key: KEY, validate: false })
        assert.strictEqual(unasked.status, 201)
        assert.strictEqual(String(unasked.json["status"]), "unverified")
        assert.strictEqual(probe.questions.length, asked)
      })
    )

    it.effect("answers 404 to a provider that there is not", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        for (const provider of ["mistral", "Vertex", "OpenAI", "constructor", "a".repeat(300)]) {
          const { json, status } = yield* post(tenant, { key: KEY }, provider)
          assert.strictEqual(status, 404)
          assert.match(
            String(json["detail"]),
            /^There is no such resource: the provider in the path must be one of openai, anthropic, .*openai_compatible$/
          )
        }
      })
    )

    it.effect("takes a base URL for Azure and for compatible servers and for nothing else, https and public", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        yield* answer({ type: "accepted" })
        const url = "https://models.example.com/v1"
        const good = yield* post(tenant, { key: "EMPTY", base_url: url }, "openai_compatible")
        assert.strictEqual(good.status, 201)
        assert.strictEqual(String(good.json["base_url"]), url)
        assert.strictEqual(String(good.json["hint"]), "…")
        const resource = "https://acme.openai.azure.com/openai/v1"
        const azure = yield* post(tenant, { key: KEY, base_url: resource }, "azure")
        assert.strictEqual(azure.status, 201)
        assert.strictEqual(String(azure.json["provider"]), "azure")
        assert.strictEqual(String(azure.json["base_url"]), resource)
        assert.strictEqual(String(azure.json["status"]), "active")
        const faults = [
          [{ key: KEY }, "openai_compatible", "validation_failed", "/base_url"],
          [{ key: KEY }, "azure", "validation_failed", "/base_url"],
          [{ key: KEY, base_url: `${resource}?api-version=2024-10-21` }, "azure", "validation_failed", "/base_url"],
          [{ key: KEY, base_url: url }, "openai", "validation_failed", "/base_url"],
          [{ key: KEY, base_url: "https://models.internal/v1" }, "openai_compatible", "url_not_public", "/base_url"],
          [{ key: KEY, base_url: "http://127.0.0.1:1/v1" }, "openai_compatible", "url_not_public", "/base_url"],
          [{ key: KEY, base_url: `${url}?key=1` }, "openai_compatible", "validation_failed", "/base_url"]
        ] as const
        for (const [body, provider, code, pointer] of faults) {
          const { json, status } = yield* post(tenant, body, provider)
          assert.strictEqual(status, 422)
          assert.strictEqual(String(json["code"]), code)
          assert.strictEqual(String(json["errors"]![0]!["pointer"]), pointer)
        }
      })
    )

    it.effect("answers 422 to every fault of a body, and repeats no value in it", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        const secret = "sk-secret with spaces-0123456789"
        const faults: ReadonlyArray<readonly [unknown, string]> = [
          [{}, "/key"],
          [{ key: "" }, "/key"],
          [{ key: secret }, "/key"],
          [{ key: `${secret}\n` }, "/key"],
          [{ key: "sk-é" }, "/key"],
          [{ key: { secret } }, "/key"],
          [{ key: "k".repeat(4_097) }, "/key"],
          [{ key: KEY, priority: -1 }, "/priority"],
          [{ key: KEY, priority: 10_001 }, "/priority"],
          [{ key: KEY, fallback: "any" }, "/fallback"],
          [{ key: KEY, allowed_models: [] }, "/allowed_models"],
          [{ key: KEY, allowed_models: ["gpt-*-mini"] }, "/allowed_models/0"],
          [{ key: KEY, name: " " }, "/name"],
          [{ key: KEY, api_key: secret }, "/api_key"]
        ]
        for (const [body, pointer] of faults) {
          const { json, status, text } = yield* post(tenant, body)
          assert.strictEqual(status, 422, pointer)
          assert.strictEqual(String(json["errors"]![0]!["pointer"]), pointer)
          for (const value of [secret, KEY]) assert.notInclude(text, value)
        }
      })
    )

    it.effect("answers a repetition under its Idempotency-Key with the same key and asks nobody again", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        const probe = yield* MemoryProviderProbe
        yield* answer({ type: "accepted" })
        const headers = { "idempotency-key": "k" }
        const first = yield* post(tenant, { key: KEY }, "openai", headers)
        const asked = probe.questions.length
        yield* answer(REFUSED)
        const again = yield* post(tenant, { key: KEY }, "openai", headers)
        assert.strictEqual(again.status, 201)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.strictEqual(again.text, first.text)
        assert.strictEqual(probe.questions.length, asked)
        const other = yield* post(tenant, { key: `${KEY}2` }, "openai", headers)
        assert.strictEqual(other.status, 422)
        assert.strictEqual(String(other.json["code"]), "idempotency_key_reused")
      })
    )
  })

  describe("GET /api/v1/byok/", () => {
    it.effect("answers 200 with the workspace's keys, newest first and page by page, without a value", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
        const ids = [yield* registered(tenant), yield* registered(tenant), yield* registered(tenant)]
        yield* registered(stranger)
        const { json, status, text } = yield* list(tenant)
        assert.strictEqual(status, 200)
        const items = json["items"] as unknown as ReadonlyArray<{ readonly id: string }>
        assert.deepStrictEqual(
          items.map(({ id }) => id),
          ids.toReversed()
        )
        assert.notInclude(text, KEY)
        const key = tenant.workspaceKey
        const one = yield* api.call("GET", `${BYOK}?limit=2`, { key })
        const two = yield* api.call("GET", `${BYOK}?limit=2&cursor=${one.json["next_cursor"]}`, { key })
        assert.strictEqual(String(two.json["items"]![0]!["id"]), ids[0])
        assert.isNull(two.json["next_cursor"])
        const foreign = yield* api.call("GET", `${BYOK}?cursor=${one.json["next_cursor"]}`, {
          key: stranger.workspaceKey
        })
        assert.strictEqual(foreign.status, 422)
      })
    )
  })
})
