/** How often deliveries are read, and with which key a person's page operates webhooks. */
import { type ApiKey, createClient, type Delivery } from "@agent-platform/client"
import { QueryClient } from "@tanstack/react-query"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { otherKeysQuery, revokeKey } from "../src/api/keys.ts"
import { endpointQuery, replayDelivery, rereadMillis, testEndpoint } from "../src/api/webhooks.ts"
import type { Scope, Session } from "../src/session/Session.ts"

const ORIGIN = "https://agents.example.com"

const sessionOf = (scope: Scope, keyId: string | null): Session =>
  ({
    can: (asked: Scope) => asked === scope,
    client: createClient({ baseUrl: ORIGIN, fetch: (...call) => fetch(...call) }),
    me: { auth: { key_id: keyId } }
  }) as unknown as Session

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe("deliveries", () => {
  const session = sessionOf("webhooks:read", "key")

  /** One that fell due at this moment. */
  const due = () => ({ state: "pending", next_attempt_at: new Date().toISOString() }) as Delivery

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] })
    // Later than what any test before has sent.
    vi.setSystemTime(Date.now() + 60_000)
    vi.stubGlobal("fetch", async () => Response.json({}))
  })

  it("are read now and then while any is pending, and not otherwise", () => {
    assert.strictEqual(rereadMillis([due()]), 2_000)
    assert.isFalse(rereadMillis([{ ...due(), state: "delivered" }]))
  })

  it.each([
    ["a test", () => testEndpoint(session, "endpoint")],
    ["one again", () => replayDelivery(session, "endpoint", "delivery")]
  ])("are read often for ten seconds after the page has sent %s, as long as one is being sent", async (_, send) => {
    await send()
    assert.strictEqual(rereadMillis([due()]), 300)
    assert.strictEqual(rereadMillis([due()], 2), 2_000)
    const later = new Date(Date.now() + 60_000).toISOString()
    assert.strictEqual(rereadMillis([{ ...due(), next_attempt_at: later }]), 2_000)
    vi.setSystemTime(Date.now() + 9_999)
    assert.strictEqual(rereadMillis([due()]), 300)
    vi.setSystemTime(Date.now() + 1)
    assert.strictEqual(rereadMillis([due()]), 2_000)
  })
})

describe("the grant of a person's page", () => {
  /** An API that keeps keys, refuses those that were revoked, and has the key of a call in its answer. */
  const startKeys = (): Map<string, ApiKey> => {
    const keys = new Map<string, ApiKey>()
    const grants = ["grant-1", "grant-2"]
    const add = (id: string) => {
      keys.set(id, { id, status: "active", created_by: { type: "user", id: "somebody" } } as ApiKey)
      return Response.json({ id, key: id }, { status: 201 })
    }
    for (const id of ["own", "other"]) add(id)
    vi.stubGlobal("location", { origin: ORIGIN })
    vi.stubGlobal("fetch", async (url: string, { headers, method }: RequestInit) => {
      const [, at = "", id = ""] = /^\/api\/v1\/org\/([\w-]+)\/?([\w-]*)/.exec(new URL(url).pathname) ?? []
      if (at === "webhook-grants") return add(grants.shift() ?? "")
      if (at === "api-keys" && method === "GET") return Response.json({ items: [...keys.values()], next_cursor: null })
      if (at === "api-keys") return Response.json({ revoked: keys.delete(id) })
      const key = new Headers(headers).get("authorization")?.slice("Bearer ".length) ?? ""
      return keys.has(key) ? Response.json({ url: key }) : Response.json({ code: "unauthorized" }, { status: 401 })
    })
    return keys
  }

  const queries = () => new QueryClient({ defaultOptions: { queries: { retry: false } } })

  it("is no other key than this page's, and another is made where it is revoked by itself", async () => {
    const keys = startKeys()
    const session = sessionOf("org:admin", "own")
    const operate = () => queries().fetchQuery(endpointQuery(session, "endpoint"))
    assert.deepInclude(await operate(), { url: "grant-1" })
    const others = await queries().fetchQuery(otherKeysQuery(session, "organization"))
    assert.deepStrictEqual(
      others.map(({ id }) => id),
      ["other"]
    )
    for (const { id } of others) await revokeKey(session, "organization", id, false)
    assert.deepStrictEqual([...keys.keys()], ["own", "grant-1"])
    assert.deepInclude(await operate(), { url: "grant-1" })
    await revokeKey(session, "organization", "grant-1", false)
    assert.deepInclude(await operate(), { url: "grant-2" })
  })
})
