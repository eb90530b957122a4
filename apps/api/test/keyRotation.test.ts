/** How keys are rotated over the wire, of workspaces and of organizations alike. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { type Call, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const levels = [
  { level: "workspace", path: "/api/v1/auth/api-keys", keyOf: (tenant: Tenant) => tenant.workspaceKey },
  { level: "organization", path: "/api/v1/org/api-keys", keyOf: (tenant: Tenant) => tenant.orgKey }
] as const

layer(layerApi, { excludeTestServices: true })("POST", (it) => {
  for (const { keyOf, level, path } of levels) {
    describe(`${path}/{key_id}/rotate`, () => {
      const setUp = Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const key = keyOf(tenant)
        const made = yield* api.call("POST", path, { key, body: { name: "Child", metadata: { team: "blue" } } })
        const address = `${path}/${made.json["id"]}`
        const rotate = (body: unknown = {}, call: Call = {}) =>
          api.call("POST", `${address}/rotate`, { key, body, ...call })
        const codeOf = (value: string) =>
          Effect.map(api.call("GET", "/api/v1/auth/me", { key: value }), ({ json, status }) =>
            status === 200 ? "accepted" : String(json["code"])
          )
        return { address, api, codeOf, key, made, rotate, tenant, value: String(made.json["key"]) }
      })

      it.effect("answers 201 with the successor, its value and when the old one ends", () =>
        Effect.gen(function* () {
          const { api, codeOf, key, made, rotate, value } = yield* setUp
          const before = Date.now()
          const { json, status } = yield* rotate({ grace_seconds: 3_600 })
          assert.strictEqual(status, 201)
          const successor = json["new"] as unknown as Record<string, unknown>
          const old = made.json as unknown as Record<string, unknown>
          for (const member of ["name", "scopes", "kind", "metadata", "expires_at", "allowed_ips", "rate_limit"]) {
            assert.deepStrictEqual(successor[member], old[member])
          }
          assert.deepInclude(successor, { status: "active", version: 1 })
          assert.notStrictEqual(String(successor["key"]), value)
          assert.strictEqual(String(json["old"]!["id"]), String(old["id"]))
          assert.strictEqual(String(json["old"]!["status"]), "rotating")
          assert.closeTo(Date.parse(String(json["old"]!["expires_at"])), before + 3_600_000, 30_000)
          for (const one of [value, String(successor["key"])]) assert.strictEqual(yield* codeOf(one), "accepted")

          const listed = yield* api.call("GET", path, { key })
          const statuses = (listed.json["items"] as unknown as ReadonlyArray<Record<string, unknown>>)
            .filter((item) => item["name"] === "Child")
            .map((item) => [item["id"], item["status"], item["replaced_by"]])
          assert.deepStrictEqual(statuses, [
            [successor["id"], "active", null],
            [old["id"], "rotating", successor["id"]]
          ])
          assert.notInclude(listed.text, String(successor["key"]))
        })
      )

      it.effect("ends the old value at once where there is no grace", () =>
        Effect.gen(function* () {
          const { codeOf, rotate, value } = yield* setUp
          const { json } = yield* rotate()
          assert.strictEqual(yield* codeOf(value), "credential_expired")
          assert.strictEqual(yield* codeOf(String(json["new"]!["key"])), "accepted")
        })
      )

      it.effect("answers a repetition under its Idempotency-Key with the same successor and no value", () =>
        Effect.gen(function* () {
          const { api, key, rotate } = yield* setUp
          const headers = { "idempotency-key": "k-1" }
          const first = yield* rotate({ grace_seconds: 60 }, { headers })
          const again = yield* rotate({ grace_seconds: 60 }, { headers })
          assert.strictEqual(again.status, 201)
          assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
          assert.isNull(again.json["new"]!["key"])
          assert.deepStrictEqual(again.json["old"], first.json["old"])
          assert.strictEqual(String(again.json["new"]!["id"]), String(first.json["new"]!["id"]))
          const other = yield* rotate({ grace_seconds: 61 }, { headers })
          assert.strictEqual(String(other.json["code"]), "idempotency_key_reused")
          // The same idempotency key for another API key is another request.
          const successor = `${path}/${first.json["new"]!["id"]}/rotate`
          const next = yield* api.call("POST", successor, { key, headers, body: { grace_seconds: 60 } })
          assert.strictEqual(next.status, 201)
          assert.isNull(next.headers.get("idempotency-replayed"))
        })
      )

      it.effect("answers 422 to a grace out of bounds", () =>
        Effect.gen(function* () {
          const { rotate } = yield* setUp
          for (const grace_seconds of [-1, 604_801, 1.5, "60", null]) {
            const { json, status } = yield* rotate({ grace_seconds })
            assert.strictEqual(status, 422)
            assert.strictEqual(String(json["errors"]![0]!["pointer"]), "/grace_seconds")
          }
          assert.strictEqual((yield* rotate({ grace_seconds: 604_800 })).status, 201)
        })
      )

      it.effect("answers 422 to a key that is rotating, disabled or revoked", () =>
        Effect.gen(function* () {
          const { address, api, key, rotate } = yield* setUp
          const refusal = (status: string) =>
            Effect.map(rotate(), (answer) => {
              assert.strictEqual(answer.status, 422)
              assert.strictEqual(String(answer.json["detail"]), `A key that is ${status} cannot be rotated`)
            })
          yield* api.call("PATCH", address, { key, body: { status: "disabled" } })
          yield* refusal("disabled")
          yield* api.call("PATCH", address, { key, body: { status: "active" } })
          yield* rotate({ grace_seconds: 60 })
          yield* refusal("rotating")
          yield* api.call("DELETE", address, { key })
          yield* refusal("revoked")
        })
      )

      it.effect("answers 403 to who could not have made the key", () =>
        Effect.gen(function* () {
          const { api, rotate, tenant } = yield* setUp
          const organization = level === "organization"
          const weak = yield* api.keyWith(tenant, { organization, scopes: [organization ? "org:admin" : "keys:write"] })
          const { json, status } = yield* rotate({}, { key: weak })
          assert.strictEqual(status, 403)
          assert.strictEqual(String(json["code"]), "insufficient_scope")
        })
      )

      it.effect("answers 404 to a key of another owner, and to an unknown one", () =>
        Effect.gen(function* () {
          const { api, rotate } = yield* setUp
          const stranger = keyOf(yield* api.tenant)
          assert.strictEqual((yield* rotate({}, { key: stranger })).status, 404)
          const unknown = yield* api.call("POST", `${path}/${UNKNOWN_ID}/rotate`, { key: stranger, body: {} })
          assert.strictEqual(unknown.status, 404)
        })
      )
    })
  }
})
