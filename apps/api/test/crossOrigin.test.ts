/** Cross-origin rules for pages in browsers. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CORS_ORIGINS, DASHBOARD_URL, layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("the edge, to browsers", (it) => {
  describe("a page of another origin", () => {
    const preflight = (origin: string, path = "/api/v1/runs/") =>
      Effect.flatMap(TestApi, (api) =>
        api.call("OPTIONS", path, {
          headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-csrf-token" }
        })
      )
    const grants = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"))

    it.effect("may send, with the person's cookie, what the dashboard has to, if it is the dashboard's", () =>
      Effect.gen(function* () {
        const { headers, status } = yield* preflight(DASHBOARD_URL)
        assert.strictEqual(status, 204)
        assert.strictEqual(headers.get("access-control-allow-origin"), DASHBOARD_URL)
        assert.strictEqual(headers.get("access-control-allow-credentials"), "true")
        assert.strictEqual(headers.get("access-control-allow-methods"), "POST, GET, HEAD, OPTIONS")
        assert.include(headers.get("access-control-allow-headers"), "X-CSRF-Token")
        assert.include(headers.get("vary"), "Origin")
      })
    )

    it.effect("may read every answer and its headers, problems too, if it is the dashboard's", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        for (const path of ["/api/v1/agents", "/nope", "/healthz", "/%"]) {
          const { headers } = yield* api.call("GET", path, { headers: { origin: DASHBOARD_URL } })
          assert.strictEqual(headers.get("access-control-allow-origin"), DASHBOARD_URL, path)
          assert.include(headers.get("access-control-expose-headers"), "RateLimit-Policy", path)
        }
      })
    )

    it.effect("may send and read the same with a key, and never with a cookie, if its origin is listed", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        for (const origin of CORS_ORIGINS) {
          const asked = yield* preflight(origin)
          const answer = yield* api.call("GET", "/api/v1/agents", { key: workspaceKey, headers: { origin } })
          const refused = yield* api.call("GET", "/api/v1/agents", { headers: { origin } })
          assert.deepStrictEqual([asked.status, answer.status, refused.status], [204, 200, 401])
          for (const { headers } of [asked, answer, refused]) {
            assert.strictEqual(headers.get("access-control-allow-origin"), origin)
            assert.isNull(headers.get("access-control-allow-credentials"))
            assert.include(headers.get("access-control-expose-headers"), "ETag")
            assert.include(headers.get("vary"), "Origin")
          }
          assert.include(asked.headers.get("access-control-allow-headers"), "Authorization")
          assert.strictEqual(asked.headers.get("access-control-max-age"), "600")
        }
      })
    )

    it.effect("is granted nothing if it is anybody else's", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        for (const origin of [
          "https://evil.test",
          "https://app.example.com.evil.test",
          "http://app.example.com",
          "https://sub.app.example.com",
          "null",
          `${DASHBOARD_URL}.evil.test`,
          `${DASHBOARD_URL}:8443`,
          DASHBOARD_URL.replace("https", "http"),
          "*"
        ]) {
          const asked = yield* preflight(origin)
          assert.deepStrictEqual(grants(asked.headers), [], origin)
          const answer = yield* api.call("GET", "/api/v1/agents", { headers: { origin } })
          assert.deepStrictEqual(grants(answer.headers), [], origin)
          assert.include(answer.headers.get("vary"), "Origin")
        }
      })
    )
  })
})
