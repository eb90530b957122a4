import { EventId, EventLog, freshId, OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { DeliverySettlement, type Endpoint, EndpointId, EndpointStore, newDelivery } from "@agent-platform/webhooks"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { anAgent, layer as layerApi, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const WEBHOOKS = "/api/v1/org/webhooks"

/** An endpoint with one delivery, as they are in the stores. */
const stored = Effect.fnUntraced(function* (tenant: Tenant, change: Partial<Endpoint> = {}) {
  const endpoints = yield* EndpointStore
  const deliveries = yield* DeliverySettlement
  const log = yield* EventLog
  const unit = yield* UnitOfWork
  const organizationId = OrganizationId.make(tenant.organizationId)
  const now = yield* DateTime.now
  const endpoint: Endpoint = {
    id: yield* freshId(EndpointId),
    organizationId,
    url: "https://example.com/",
    eventTypes: [],
    workspaceIds: [],
    description: null,
    status: "active",
    disabledReason: null,
    sealedSecret: "sealed",
    retiringSecrets: [],
    createdAt: now,
    ...change
  }
  const event = {
    id: yield* freshId(EventId),
    type: "run.succeeded",
    organizationId,
    workspaceId: null,
    createdAt: now,
    data: "{}"
  }
  const delivery = {
    ...newDelivery(endpoint, event, now),
    state: "delivered" as const,
    nextAttemptAt: null,
    deliveredAt: now
  }
  yield* unit.atomic(
    Effect.gen(function* () {
      yield* endpoints.insert(endpoint)
      yield* log.append(event)
      yield* deliveries.insert([delivery])
    })
  )
  return { endpoint, delivery, path: `${WEBHOOKS}/${endpoint.id}/deliveries` }
})

layer(layerApi, { excludeTestServices: true })("organization webhooks", (it) => {
  describe("POST /api/v1/org/webhooks", () => {
    it.effect("answers 201 with the signing secret, this once", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        const call = {
          key: orgKey,
          headers: { "idempotency-key": "k" },
          body: {
            url: "https://example.com/hooks",
            event_types: ["run.succeeded", "credential.revoked"],
            description: "Ours"
          }
        }
        const { json, status } = yield* api.call("POST", WEBHOOKS, call)
        assert.strictEqual(status, 201)
        assert.match(String(json["secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/)
        assert.deepStrictEqual(json["event_types"] as unknown, ["run.succeeded", "credential.revoked"])
        assert.strictEqual(String(json["status"]), "active")
        const again = yield* api.call("POST", WEBHOOKS, call)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.strictEqual(String(again.json["id"]), String(json["id"]))
        assert.isNull(again.json["secret"])
      })
    )

    it.effect("subscribes to everything when no kind is named", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        for (const body of [{ url: "https://example.com/" }, { url: "https://example.com/", event_types: [] }]) {
          const { json, status } = yield* api.call("POST", WEBHOOKS, { key: orgKey, body })
          assert.strictEqual(status, 201)
          assert.deepStrictEqual(json["event_types"] as unknown, [])
        }
      })
    )

    it.effect("answers 422 to URLs that are not public and to kinds of events that there are not", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        for (const url of ["http://example.com/", "https://metadata.internal/", "ftp://example.com", "nonsense"]) {
          const { json, status } = yield* api.call("POST", WEBHOOKS, { key: orgKey, body: { url } })
          assert.strictEqual(status, 422)
          assert.strictEqual(String(json["code"]), "url_not_public")
          assert.strictEqual(String(json["errors"]![0]!["pointer"]), "/url")
        }
        const { json, status } = yield* api.call("POST", WEBHOOKS, {
          key: orgKey,
          body: { url: "https://example.com/", event_types: ["run.succeeded", "run.exploded"] }
        })
        assert.strictEqual(status, 422)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), "/event_types/1")
        assert.include(String(json["errors"]![0]!["detail"]), "run.paused")
      })
    )

    it.effect("answers 422 to an endpoint without a URL", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        const { json, status } = yield* api.call("POST", WEBHOOKS, { key: orgKey, body: { event_types: [] } })
        assert.strictEqual(status, 422)
        assert.deepStrictEqual(json["errors"] as unknown, [
          { pointer: "/url", code: "required", detail: "is required" }
        ])
      })
    )

    it.effect("answers 409 to the eleventh active endpoint, however many are registered at once", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        const register = api.call("POST", WEBHOOKS, { key: orgKey, body: { url: "https://example.com/" } })
        const answers = yield* Effect.all(
          Array.from({ length: 14 }, () => register),
          { concurrency: "unbounded" }
        )
        const refused = answers.filter(({ status }) => status !== 201)
        assert.strictEqual(refused.length, 4)
        for (const { json, status } of refused)
          assert.strictEqual(`${status} ${json["code"]}`, "409 endpoint_limit_reached")
      })
    )
  })

  describe("GET /api/v1/org/webhooks", () => {
    it.effect("answers 200 with the endpoints, newest first and without their secrets", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        for (const path of ["a", "b", "c"]) {
          yield* api.call("POST", WEBHOOKS, { key: orgKey, body: { url: `https://example.com/${path}` } })
        }
        const first = yield* api.call("GET", `${WEBHOOKS}?limit=2`, { key: orgKey })
        const rest = yield* api.call("GET", `${WEBHOOKS}?limit=2&cursor=${first.json["next_cursor"]}`, { key: orgKey })
        const urls = [first, rest].flatMap(({ json }) =>
          (json["items"] as unknown as ReadonlyArray<{ url: string }>).map(({ url }) => url.slice(-1))
        )
        assert.deepStrictEqual(urls, ["c", "b", "a"])
        assert.notInclude(first.text + rest.text, "secret")
      })
    )
  })

  describe("GET /api/v1/org/webhooks/{endpoint_id}/deliveries", () => {
    it.effect("answers 200 with deliveries under their events' ids", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { delivery, path } = yield* stored(tenant)
        const { json, status } = yield* api.call("GET", path, { key: tenant.orgKey })
        assert.strictEqual(status, 200)
        const [item] = json["items"] as unknown as ReadonlyArray<Record<string, unknown>>
        assert.strictEqual(item?.["delivery_id"], delivery.eventId)
        assert.strictEqual(item?.["event_id"], delivery.eventId)
        assert.strictEqual(item?.["state"], "delivered")
        assert.deepStrictEqual(item?.["attempts"], [])
      })
    )

    it.effect("answers the 50 most recent unless another limit is asked for", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { delivery, path } = yield* stored(tenant)
        const [unit, settlement] = [yield* UnitOfWork, yield* DeliverySettlement]
        const later = yield* Effect.forEach(Array.from({ length: 50 }), () =>
          Effect.map(freshId(EventId), (eventId) => ({ ...delivery, eventId }))
        )
        yield* unit.atomic(settlement.insert(later))
        const { json } = yield* api.call("GET", path, { key: tenant.orgKey })
        const items = json["items"] as unknown as ReadonlyArray<{ readonly delivery_id: string }>
        assert.strictEqual(items.length, 50)
        assert.notInclude(
          items.map(({ delivery_id }) => delivery_id),
          delivery.eventId
        )
        assert.isString(json["next_cursor"])
      })
    )

    it.effect("still answers for a deleted endpoint", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { path } = yield* stored(tenant, { status: "deleted" })
        assert.strictEqual((yield* api.call("GET", path, { key: tenant.orgKey })).status, 200)
      })
    )
  })

  describe("a list of deliveries", () => {
    it.effect("goes on by cursors that hold its filters, and passes what it is asked for", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { delivery, path } = yield* stored(tenant)
        const unit = yield* UnitOfWork
        const settlement = yield* DeliverySettlement
        const dead = {
          ...delivery,
          eventId: yield* freshId(EventId),
          eventType: "run.failed",
          state: "dead" as const,
          stateReason: "retries_exhausted" as const,
          deliveredAt: null
        }
        yield* unit.atomic(settlement.insert([dead]))
        const list = (query: string) => api.call("GET", `${path}?${query}`, { key: tenant.orgKey })
        const idsOf = ({ json }: { readonly json: unknown }) =>
          (json as { readonly items: ReadonlyArray<{ readonly event_id: string }> }).items.map((item) => item.event_id)
        const first = yield* list("limit=1")
        assert.deepStrictEqual(idsOf(first), [dead.eventId])
        const rest = yield* list(`limit=1&cursor=${first.json["next_cursor"]}`)
        assert.deepStrictEqual(idsOf(rest), [delivery.eventId])
        assert.isNull(rest.json["next_cursor"])
        for (const query of ["state=dead", "event_type=run.failed", `state=dead&since=2000-01-01T00:00:00Z`]) {
          assert.deepStrictEqual(idsOf(yield* list(query)), [dead.eventId], query)
        }
        for (const query of ["state=pending", "event_type=run.paused", "until=2000-01-01T00:00:00Z"]) {
          assert.deepStrictEqual(idsOf(yield* list(query)), [], query)
        }
        const mixed = yield* list(`state=dead&cursor=${first.json["next_cursor"]}`)
        assert.strictEqual(String(mixed.json["code"]), "cursor_filter_mismatch")
        for (const query of ["state=broken", "event_type=run", "since=yesterday"]) {
          assert.strictEqual((yield* list(query)).status, 422, query)
        }
        const foreign = yield* api.call("GET", path, { key: (yield* api.tenant).orgKey })
        assert.strictEqual(foreign.status, 404)
      })
    )
  })

  describe("POST /api/v1/org/webhooks/{endpoint_id}/deliveries/{delivery_id}/replay", () => {
    it.effect("answers 202 with the delivery, which is pending again", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { delivery, path } = yield* stored(tenant)
        const { json, status } = yield* api.call("POST", `${path}/${delivery.eventId}/replay`, { key: tenant.orgKey })
        assert.strictEqual(status, 202)
        assert.strictEqual(String(json["state"]), "pending")
        assert.strictEqual(String(json["delivery_id"]), delivery.eventId)
        assert.isNull(json["delivered_at"])
        assert.isString(json["next_attempt_at"])
      })
    )

    it.effect("answers 409 for a deleted endpoint", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { delivery, path } = yield* stored(tenant, { status: "deleted" })
        const { json, status } = yield* api.call("POST", `${path}/${delivery.eventId}/replay`, { key: tenant.orgKey })
        assert.strictEqual(`${status} ${json["code"]}`, "409 endpoint_inactive")
      })
    )

    it.effect("answers 202 with the delivery of the active endpoint that a deleted one's is sent through", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { delivery, path } = yield* stored(tenant, { status: "deleted" })
        const { endpoint } = yield* stored(tenant)
        const through = (endpoint_id: string | null) =>
          api.call("POST", `${path}/${delivery.eventId}/replay`, { key: tenant.orgKey, body: { endpoint_id } })
        const { json, status } = yield* through(endpoint.id)
        assert.strictEqual(`${status} ${json["state"]} ${json["event_id"]}`, `202 pending ${delivery.eventId}`)
        const read = yield* api.call("GET", `${WEBHOOKS}/${endpoint.id}/deliveries/${delivery.eventId}`, {
          key: tenant.orgKey
        })
        assert.strictEqual(read.status, 200)
        const none = yield* through(null)
        assert.strictEqual(`${none.status} ${none.json["code"]}`, "409 endpoint_inactive")
        const unknown = yield* through("0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77")
        assert.strictEqual(unknown.status, 404)
        const other = yield* stored(tenant, { eventTypes: ["run.failed"] })
        const refused = yield* through(other.endpoint.id)
        assert.strictEqual(`${refused.status} ${refused.json["code"]}`, "409 endpoint_not_subscribed")
      })
    )

    it.effect("answers 404 to a delivery of another endpoint", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const [one, two] = [yield* stored(tenant), yield* stored(tenant)]
        const answer = yield* api.call("POST", `${one.path}/${two.delivery.eventId}/replay`, { key: tenant.orgKey })
        assert.strictEqual(answer.status, 404)
      })
    )
  })
})

layer(layerWithWorkers, { excludeTestServices: true })("a run's outcome", (it) => {
  it.effect("arrives at the endpoint, is listed with its attempt, and arrives again when replayed", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const endpoint = yield* api.call("POST", WEBHOOKS, { key: tenant.orgKey, body: { url: "https://example.com/" } })
      const path = `${WEBHOOKS}/${endpoint.json["id"]}/deliveries`
      const agent_id = yield* anAgent(tenant)
      yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id, wait_seconds: 20 } })
      const deliveredAfter = (attempts: number) =>
        Effect.repeat(api.call("GET", path, { key: tenant.orgKey }), {
          until: ({ json }) => {
            const [item] = json["items"] as unknown as ReadonlyArray<{ state: string; attempt_count: number }>
            return item?.state === "delivered" && item.attempt_count === attempts
          }
        })
      const { json } = yield* deliveredAfter(1)
      const [attempt] = json["items"]![0]!["attempts"] as unknown as ReadonlyArray<Record<string, unknown>>
      assert.strictEqual(attempt?.["response_code"], 200)
      assert.strictEqual(attempt?.["number"], 1)
      yield* api.call("POST", `${path}/${json["items"]![0]!["delivery_id"]}/replay`, { key: tenant.orgKey })
      yield* deliveredAfter(2)
    })
  )

  it.effect("has its beginning sent before it to the endpoint that names it, and to no other", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const register = (more: object) =>
        Effect.map(
          api.call("POST", WEBHOOKS, { key: tenant.orgKey, body: { url: "https://example.com/", ...more } }),
          ({ json }) => `${WEBHOOKS}/${json["id"]}/deliveries`
        )
      const named = yield* register({ event_types: ["run.started", "run.succeeded"] })
      const unnamed = yield* register({})
      const agent_id = yield* anAgent(tenant)
      const body = { agent_id, wait_seconds: 20 }
      yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
      const typesAt = (path: string, count: number) =>
        api.call("GET", path, { key: tenant.orgKey }).pipe(
          Effect.map(({ json }) =>
            (json["items"] as unknown as ReadonlyArray<{ event_type: string }>).map((item) => item.event_type)
          ),
          Effect.repeat({ until: (types) => types.length === count })
        )
      assert.deepStrictEqual(yield* typesAt(named, 2), ["run.succeeded", "run.started"])
      assert.deepStrictEqual(yield* typesAt(unnamed, 1), ["run.succeeded"])
    })
  )
})
