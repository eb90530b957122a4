import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { aPerson } from "./people.ts"
import { type Json, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const WORKSPACES = "/api/v1/org/workspaces"
const CURRENT = "/api/v1/auth/workspace"

const itemsOf = (json: Json) => json["items"] as unknown as ReadonlyArray<Json>
const pointersOf = (json: Json) =>
  (json["errors"] as unknown as ReadonlyArray<{ pointer: string }>).map(({ pointer }) => pointer)

layer(layerApi, { excludeTestServices: true })("workspaces", (it) => {
  describe("POST /api/v1/org/workspaces", () => {
    it.effect("answers 201 with the workspace, which an organization key reaches at once", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey, organizationId } = yield* api.tenant
        const body = {
          name: "Customer",
          timezone: "Europe/Berlin",
          monthly_cap_usd: "250.5",
          allow_platform_keys: true
        }
        const { json, status } = yield* api.call("POST", WORKSPACES, { key: orgKey, body })
        assert.strictEqual(status, 201)
        const { created_at, id, ...rest } = json as unknown as Record<string, unknown>
        assert.match(String(created_at), /Z$/)
        assert.deepStrictEqual(rest, {
          name: "Customer",
          organization_id: organizationId,
          timezone: "Europe/Berlin",
          next_timezone: null,
          monthly_cap_usd: "250.50",
          allow_platform_keys: true,
          retention_days: null
        })
        const within = yield* api.call("GET", CURRENT, { key: orgKey, headers: { "x-workspace-id": String(id) } })
        assert.strictEqual(String(within.json["id"]), String(id))
      })
    )

    it.effect(
      "makes a workspace in UTC without a cap and without the platform's keys unless the body says otherwise",
      () =>
        Effect.gen(function* () {
          const api = yield* TestApi
          const { orgKey } = yield* api.tenant
          const { json } = yield* api.call("POST", WORKSPACES, { key: orgKey, body: { name: "Customer" } })
          assert.strictEqual(String(json["timezone"]), "UTC")
          assert.isNull(json["monthly_cap_usd"])
          assert.isFalse(json["allow_platform_keys"] as unknown as boolean)
        })
    )

    it.effect("answers a repetition under its Idempotency-Key with the same workspace, and 422 to another body", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        const call = { key: orgKey, headers: { "idempotency-key": "k" }, body: { name: "Customer" } }
        const first = yield* api.call("POST", WORKSPACES, call)
        const again = yield* api.call("POST", WORKSPACES, call)
        assert.strictEqual(again.status, 201)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.strictEqual(again.text, first.text)
        const other = yield* api.call("POST", WORKSPACES, { ...call, body: { name: "Other" } })
        assert.strictEqual(`${other.status} ${other.json["code"]}`, "422 idempotency_key_reused")
        assert.strictEqual(itemsOf((yield* api.call("GET", WORKSPACES, { key: orgKey })).json).length, 2)
      })
    )

    it.effect("answers 422 to every fault of the body, and to time zones and caps that are none", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        const pointersFor = (body: unknown) =>
          Effect.map(api.call("POST", WORKSPACES, { key: orgKey, body }), ({ json, status, text }) => {
            assert.strictEqual(status, 422, text)
            return pointersOf(json)
          })
        assert.sameMembers(yield* pointersFor({ nmae: "x", timezone: 1, monthly_cap_usd: 5 }), [
          "/name",
          "/nmae",
          "/timezone",
          "/monthly_cap_usd"
        ])
        for (const timezone of ["Europe/Atlantis", "+01:00", "", "x".repeat(101)]) {
          assert.deepStrictEqual(yield* pointersFor({ name: "x", timezone }), ["/timezone"], timezone)
        }
        for (const monthly_cap_usd of ["-1", "1e3", "1.0000000000001", "1234567890123", "NaN", ""]) {
          assert.deepStrictEqual(yield* pointersFor({ name: "x", monthly_cap_usd }), ["/monthly_cap_usd"])
        }
      })
    )
  })

  describe("GET /api/v1/org/workspaces", () => {
    it.effect("answers 200 with the organization's workspaces, newest first, page by page", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [{ orgKey, workspaceId }] = [yield* api.tenant, yield* api.tenant]
        const made = yield* api.call("POST", WORKSPACES, { key: orgKey, body: { name: "Customer" } })
        const first = yield* api.call("GET", `${WORKSPACES}?limit=1`, { key: orgKey })
        assert.strictEqual(first.status, 200)
        const rest = yield* api.call("GET", `${WORKSPACES}?limit=1&cursor=${first.json["next_cursor"]}`, {
          key: orgKey
        })
        const ids = [...itemsOf(first.json), ...itemsOf(rest.json)].map((item) => String(item["id"]))
        assert.deepStrictEqual(ids, [String(made.json["id"]), workspaceId])
        assert.isNull(rest.json["next_cursor"])
      })
    )

    it.effect("answers 422 to a cursor of another organization's list", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [mine, foreign] = [yield* api.tenant, yield* api.tenant]
        yield* api.call("POST", WORKSPACES, { key: mine.orgKey, body: { name: "Customer" } })
        const page = yield* api.call("GET", `${WORKSPACES}?limit=1`, { key: mine.orgKey })
        const stolen = yield* api.call("GET", `${WORKSPACES}?cursor=${page.json["next_cursor"]}`, {
          key: foreign.orgKey
        })
        assert.strictEqual(`${stolen.status} ${stolen.json["code"]}`, "422 cursor_invalid")
      })
    )
  })

  describe("PATCH /api/v1/org/workspaces/{workspace_id}", () => {
    const patch = (tenant: Tenant, body: unknown) =>
      TestApi.use((api) => api.call("PATCH", `${WORKSPACES}/${tenant.workspaceId}`, { key: tenant.orgKey, body }))

    it.effect("answers 200 and changes what is named alone", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const before = (yield* patch(tenant, {})).json
        const renamed = yield* patch(tenant, { name: "Renamed", monthly_cap_usd: "10" })
        assert.strictEqual(renamed.status, 200)
        assert.deepStrictEqual<unknown>(renamed.json, { ...before, name: "Renamed", monthly_cap_usd: "10.00" })
        const opened = yield* patch(tenant, { monthly_cap_usd: null, allow_platform_keys: true })
        const expected = { ...before, name: "Renamed", monthly_cap_usd: null, allow_platform_keys: true }
        assert.deepStrictEqual<unknown>(opened.json, expected)
      })
    )

    it.effect("shows the time zone that holds and the one that will, from the next month on there", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { json } = yield* patch(tenant, { timezone: "America/Los_Angeles" })
        assert.strictEqual(String(json["timezone"]), "UTC")
        assert.strictEqual(String(json["next_timezone"]!["timezone"]), "America/Los_Angeles")
        const startsAt = DateTime.makeUnsafe(String(json["next_timezone"]!["starts_at"]))
        const local = DateTime.toParts(DateTime.setZoneNamedUnsafe(startsAt, "America/Los_Angeles"))
        assert.deepStrictEqual([local.day, local.hour, local.minute, local.second], [1, 0, 0, 0])
        assert.isTrue(DateTime.isGreaterThan(startsAt, yield* DateTime.now))
        const current = yield* api.call("GET", CURRENT, { key: tenant.workspaceKey })
        assert.deepStrictEqual<unknown>(current.json["next_timezone"], json["next_timezone"])
        assert.strictEqual(String(current.json["spend_cap"]!["period_end"]), DateTime.formatIso(startsAt))
        assert.isNull((yield* patch(tenant, { timezone: "UTC" })).json["next_timezone"])
      })
    )

    it.effect("answers 404 to a foreign workspace exactly as to an unknown and to a malformed id", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [mine, foreign] = [yield* api.tenant, yield* api.tenant]
        const answers = yield* Effect.forEach(
          [foreign.workspaceId, "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77", "nonsense"],
          (workspaceId) => patch({ ...mine, workspaceId }, { name: "Theirs", timezone: "Europe/Atlantis" })
        )
        assert.deepStrictEqual(
          answers.map(({ json, status }) => `${status} ${json["code"]} ${json["detail"]}`),
          Array.from(answers, () => "404 not_found There is no such resource")
        )
        const theirs = yield* api.call("GET", CURRENT, { key: foreign.workspaceKey })
        assert.strictEqual(String(theirs.json["name"]), "Main")
      })
    )

    it.effect("answers 422 to unknown members, time zones and caps, and changes nothing then", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        for (const [body, pointer] of [
          [{ name: "New", organization_id: tenant.organizationId }, "/organization_id"],
          [{ name: "New", timezone: "Europe/Atlantis" }, "/timezone"],
          [{ name: "New", timezone: null }, "/timezone"],
          [{ name: "New", monthly_cap_usd: "-1.00" }, "/monthly_cap_usd"],
          [{ name: " " }, "/name"]
        ] as const) {
          const { json, status } = yield* patch(tenant, body)
          assert.strictEqual(status, 422)
          assert.deepStrictEqual(pointersOf(json), [pointer])
        }
        assert.strictEqual(String((yield* patch(tenant, {})).json["name"]), "Main")
      })
    )

    it.effect("serves the session of an admin, and forbids a workspace's member", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const statusFor = (role: "admin" | "member") =>
          Effect.gen(function* () {
            const { unsafe } = yield* aPerson(tenant, role)
            const headers = { ...unsafe, "x-workspace-id": tenant.workspaceId }
            const path = `${WORKSPACES}/${tenant.workspaceId}`
            return (yield* api.call("PATCH", path, { headers, body: { name: role } })).status
          })
        assert.deepStrictEqual([yield* statusFor("admin"), yield* statusFor("member")], [200, 403])
      })
    )
  })
})
