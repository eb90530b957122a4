/** How often all of a workspace may call. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, layerOver, TestApi } from "./support.ts"

const ME = "/api/v1/auth/me"

layer(layerOver(layerMemory, { workspaceRateLimit: { limit: 3, windowSeconds: 86_400 } }), {
  excludeTestServices: true
})("a workspace with a rate limit", (it) => {
  it.effect("is limited over all of its keys together, and beside it the organization goes on", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const [one, other] = [yield* api.keyWith(tenant, {}), yield* api.keyWith(tenant, {})]
      for (const [key, remaining] of [
        [one, 2],
        [other, 1],
        [tenant.workspaceKey, 0]
      ] as const) {
        const { headers } = yield* api.call("GET", ME, { key })
        assert.strictEqual(headers.get("ratelimit-policy"), '"workspace";q=3;w=86400')
        assert.match(headers.get("ratelimit") ?? "", new RegExp(`^"workspace";r=${remaining};t=\\d+$`))
      }
      const inWorkspace = { key: tenant.orgKey, headers: { "x-workspace-id": tenant.workspaceId } }
      for (const call of [{ key: one }, inWorkspace]) {
        const refused = yield* api.call("GET", ME, call)
        assert.strictEqual(`${refused.status} ${refused.json["code"]}`, "429 rate_limited")
        assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
      }
      assert.strictEqual((yield* api.call("GET", ME, { key: tenant.orgKey })).status, 200)
    })
  )

  it.effect("is reported beside the limit of the key, which is counted first", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = yield* api.keyWith(tenant, { rateLimit: { limit: 1, windowSeconds: 86_400 } })
      const first = yield* api.call("GET", ME, { key })
      assert.strictEqual(first.headers.get("ratelimit-policy"), '"workspace";q=3;w=86400, "api_key";q=1;w=86400')
      const second = yield* api.call("GET", ME, { key })
      assert.strictEqual(second.status, 429)
      assert.strictEqual(second.headers.get("ratelimit-policy"), '"api_key";q=1;w=86400')
      const third = yield* api.call("GET", ME, { key: tenant.workspaceKey })
      assert.match(third.headers.get("ratelimit") ?? "", /^"workspace";r=1;/)
    })
  )
})
