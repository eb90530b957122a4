/** GET /api/v1/activity, one test a behaviour. Spec: Activity. */
import { FeedLog, OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { anActivity, anId } from "@agent-platform/kernel/testing"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { aPerson } from "./people.ts"
import { anAgent, type Json, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const ACTIVITY = "/api/v1/activity"

type Entry = Readonly<Record<string, unknown>>

const itemsOf = (json: Json) => json["items"] as unknown as ReadonlyArray<Entry>
const actionsOf = (json: Json) => itemsOf(json).map(({ action }) => String(action))
const idsOf = (json: Json) => itemsOf(json).map(({ id }) => String(id))

const list = (key: string, query = "") =>
  Effect.flatMap(TestApi, (api) => api.call("GET", `${ACTIVITY}${query}`, { key }))

/** Records entries of the tenant's workspace, a second apart, the last one last. */
const recorded = Effect.fnUntraced(function* (
  tenant: Tenant,
  count: number,
  override: Partial<ReturnType<typeof anActivity>> = {}
) {
  const [log, unit] = [yield* FeedLog, yield* UnitOfWork]
  const now = yield* DateTime.now
  const entries = Array.from({ length: count }, (_, number) =>
    anActivity({
      organizationId: OrganizationId.make(tenant.organizationId),
      workspaceId: WorkspaceId.make(tenant.workspaceId),
      createdAt: DateTime.add(now, { seconds: number - 1_000 }),
      ...override
    })
  )
  yield* unit.atomic(log.record(...entries))
  return entries
})

layer(layerApi, { excludeTestServices: true })("GET /api/v1/activity", (it) => {
  it.effect("answers 200 with what was done, newest first, as the spec shows it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent = yield* anAgent(tenant)
      yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id: agent } })
      const { json, status } = yield* list(tenant.workspaceKey)
      assert.strictEqual(status, 200)
      const [triggered, created] = itemsOf(json)
      assert.deepStrictEqual(Object.keys(created ?? {}).sort(), [
        "action",
        "actor_label",
        "actor_type",
        "created_at",
        "id",
        "payload",
        "resource_id",
        "resource_type",
        "summary"
      ])
      assert.deepInclude(created as object, {
        action: "agent.created",
        actor_type: "user",
        actor_label: "Key",
        resource_type: "agent",
        resource_id: agent
      })
      assert.strictEqual(String(triggered?.["action"]), "run.triggered")
    })
  )

  it.effect("combines its filters", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const key = tenant.workspaceKey
      const actor = { id: anId(OrganizationId), label: "Greeter" }
      const [early, late] = yield* recorded(tenant, 2, { resourceType: "run", actor: { ...actor, type: "agent" } })
      yield* recorded(tenant, 1, { resourceType: "run", actor: { ...actor, type: "system" } })
      yield* recorded(tenant, 1, { resourceType: "session", actor: { ...actor, type: "agent" } })
      const since = encodeURIComponent(DateTime.formatIso(late!.createdAt))
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["?resource_type=run&actor_type=agent", [late!.id, early!.id]],
        [`?resource_type=run&actor_type=agent&since=${since}`, [late!.id]],
        [`?resource_id=${late!.resourceId}`, [late!.id]],
        [`?resource_id=${late!.resourceId}&resource_type=session`, []],
        ["?resource_type=session&actor_type=system", []],
        ["?resource_type=no_such_thing", []]
      ]
      for (const [query, expected] of cases)
        assert.deepStrictEqual(idsOf((yield* list(key, query)).json), expected, query)
      assert.strictEqual(itemsOf((yield* list(key, "?resource_type=run")).json).length, 3)
      assert.strictEqual(itemsOf((yield* list(key, "?actor_type=agent")).json).length, 3)
      assert.strictEqual(itemsOf((yield* list(key, `?since=${since}`)).json).length >= 1, true)
    })
  )

  it.effect("gives every entry once on pages of every size while others are recorded, and null at the end", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const key = tenant.workspaceKey
      const entries = yield* recorded(tenant, 12, { resourceType: "walked" })
      for (const limit of [1, 5, 12, 50]) {
        const seen: Array<string> = []
        let cursor = ""
        while (true) {
          const { json } = yield* list(key, `?resource_type=walked&limit=${limit}${cursor}`)
          assert.isAtMost(itemsOf(json).length, limit)
          seen.push(...idsOf(json))
          if (json["next_cursor"] === null) break
          cursor = `&cursor=${json["next_cursor"]}`
          const now = DateTime.add(yield* DateTime.now, { seconds: 60 })
          yield* recorded(tenant, 1, { resourceType: "walked", createdAt: now })
        }
        const walked = seen.filter((id) => entries.some((entry) => entry.id === id))
        assert.deepStrictEqual(
          walked,
          entries.toReversed().map(({ id }) => id as string)
        )
      }
    })
  )

  it.effect("answers 50 entries unless another limit is asked for", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const entries = yield* recorded(tenant, 53, { resourceType: "many" })
      const { json } = yield* list(tenant.workspaceKey, "?resource_type=many")
      const newest = entries.slice(3).reverse()
      assert.deepStrictEqual(
        idsOf(json),
        newest.map(({ id }) => id as string)
      )
      assert.isString(json["next_cursor"])
    })
  )

  it.effect("answers 422 to a cursor with other filters, of another workspace, or altered", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      yield* recorded(tenant, 3, { resourceType: "run" })
      const { json } = yield* list(tenant.workspaceKey, "?resource_type=run&limit=1")
      const cursor = String(json["next_cursor"])
      const answers = []
      for (const [key, query] of [
        [tenant.workspaceKey, `?cursor=${cursor}`],
        [tenant.workspaceKey, `?resource_type=agent&cursor=${cursor}`],
        [tenant.workspaceKey, `?resource_type=run&actor_type=user&cursor=${cursor}`],
        [tenant.workspaceKey, `?resource_type=run&since=2026-01-01T00:00:00Z&cursor=${cursor}`],
        [stranger.workspaceKey, `?resource_type=run&cursor=${cursor}`],
        [tenant.workspaceKey, `?resource_type=run&cursor=${cursor}x`]
      ] as const) {
        const answer = yield* list(key, query)
        answers.push(`${answer.status} ${answer.json["code"]}`)
      }
      assert.deepStrictEqual(answers, [
        ...Array.from({ length: 4 }, () => "422 cursor_filter_mismatch"),
        "422 cursor_invalid",
        "422 cursor_invalid"
      ])
      // The size of a page is no filter.
      assert.strictEqual((yield* list(tenant.workspaceKey, `?resource_type=run&limit=2&cursor=${cursor}`)).status, 200)
    })
  )

  it.effect("answers 422 to parameters out of their bounds, and to any other", () =>
    Effect.gen(function* () {
      const { workspaceKey } = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const codes = []
      for (const query of [
        "limit=0",
        "limit=51",
        "limit=x",
        "actor_type=robot",
        "since=yesterday",
        "resource_type=x&resource_type=y"
      ]) {
        const { json, status } = yield* list(workspaceKey, `?${query}`)
        codes.push(`${status} ${json["code"]}`)
      }
      assert.deepStrictEqual(
        codes,
        Array.from({ length: 6 }, () => "422 validation_failed")
      )
      for (const query of ["until=2026-01-01T00:00:00Z", "actor_id=x", "action=run.triggered"]) {
        const { json, status } = yield* list(workspaceKey, `?${query}`)
        assert.strictEqual(`${status} ${json["code"]}`, "422 unknown_parameter", query)
      }
    })
  )

  it.effect("includes the organization's entries for its keys, owners and admins, and says so", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      yield* api.call("POST", "/api/v1/org/webhooks", { key: tenant.orgKey, body: { url: "https://example.com/" } })
      const inWorkspace = { "x-workspace-id": tenant.workspaceId }
      const headersOf = Effect.fnUntraced(function* (kind: "owner" | "admin" | "member" | "viewer") {
        return { ...(yield* aPerson(tenant, kind)).headers, ...inWorkspace }
      })
      const callers = [
        { sees: true, headers: { "x-api-key": tenant.orgKey, ...inWorkspace } },
        { sees: true, headers: yield* headersOf("owner") },
        { sees: true, headers: yield* headersOf("admin") },
        { sees: false, headers: yield* headersOf("member") },
        { sees: false, headers: yield* headersOf("viewer") },
        { sees: false, headers: { "x-api-key": tenant.workspaceKey } }
      ]
      for (const { headers, sees } of callers) {
        const { json } = yield* api.call("GET", ACTIVITY, { headers })
        assert.strictEqual(json["includes_admin_entries"] as unknown as boolean, sees)
        assert.strictEqual(actionsOf(json).includes("webhook_endpoint.created"), sees)
      }
    })
  )

  it.effect("shows nothing of other workspaces, those of the same organization included", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      const made = yield* api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name: "Sibling" } })
      const sibling = { ...tenant, workspaceId: String(made.json["id"]) }
      const hidden = [...(yield* recorded(stranger, 2)), ...(yield* recorded(sibling, 2))]
      yield* recorded(stranger, 1, { workspaceId: null })
      for (const headers of [
        { "x-api-key": tenant.workspaceKey },
        { "x-api-key": tenant.orgKey, "x-workspace-id": tenant.workspaceId }
      ]) {
        const { text } = yield* api.call("GET", ACTIVITY, { headers })
        for (const { id } of hidden) assert.notInclude(text, id)
        assert.notInclude(text, stranger.organizationId)
      }
    })
  )
})
