/** A key that ends, ends in every process from the answer on: no cache outlives it. Spec: API keys 5. */
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { makeDatabase, startApi, until } from "./harness.ts"

type Database = Awaited<ReturnType<typeof makeDatabase>>
type Api = Awaited<ReturnType<typeof startApi>>

/** Requests in flight at once, at each process. */
const CALLERS = 8

/** How many answers of each process are wanted before the key ends, and to requests that were begun afterwards. */
const ANSWERS = 40

interface Asked {
  readonly process: number
  readonly begunAt: number
  readonly status: number
  readonly code: unknown
}

const KEYS = "/api/v1/auth/api-keys"

describe("two processes under load", () => {
  let database: Database
  let apis: ReadonlyArray<Api>
  const closing: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    database = await makeDatabase(inject("postgresUrl"))
    closing.push(database.drop)
    apis = await Promise.all([startApi(database.url), startApi(database.url)])
    for (const api of apis) closing.push(() => api.stop())
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  /** Asks both processes with the key, without a pause, until stopped. */
  const load = (key: string) => {
    const asked: Array<Asked> = []
    let stopped = false
    const caller = async (process: number) => {
      while (!stopped) {
        const begunAt = performance.now()
        const { body, status } = await apis[process]!.ask(key, "GET", "/api/v1/auth/me")
        asked.push({ process, begunAt, status, code: body.code })
      }
    }
    const callers = apis.flatMap((_, process) => Array.from({ length: CALLERS }, () => caller(process)))
    const answered = (count: number, since: number) =>
      apis.every((_, process) => asked.filter((one) => one.process === process && one.begunAt > since).length >= count)
    return {
      asked,
      answered,
      stop: async () => {
        stopped = true
        await Promise.all(callers)
      }
    }
  }

  /** Lets `end` end a key under load through process `by`, and sees that nothing begun after its answer is accepted. */
  const endsAtOnce = async (
    by: number,
    code: string,
    end: (api: Api, address: string) => Promise<{ status: number }>
  ) => {
    const { workspace_key } = database.credentials
    const made = await apis[by]!.ask(workspace_key, "POST", KEYS, { name: "Under load" })
    assert.strictEqual(made.status, 201)
    const running = load(String(made.body.key))
    await until("both processes have served the key", () => running.answered(ANSWERS, 0) || undefined)
    const { status } = await end(apis[by]!, `${KEYS}/${made.body.id}`)
    const endedAt = performance.now()
    assert.isBelow(status, 300)
    await until("both processes have answered afterwards", () => running.answered(ANSWERS, endedAt) || undefined)
    await running.stop()
    const later = running.asked.filter((one) => one.begunAt > endedAt)
    assert.deepStrictEqual([...new Set(later.map((one) => `${one.status} ${one.code}`))], [`401 ${code}`])
    assert.isTrue(running.asked.filter((one) => one.begunAt + 50 < endedAt).some((one) => one.status === 200))
    const refusals = running.asked.filter((one) => one.code === code).length
    return { id: String(made.body.id), key: String(made.body.key), refusals }
  }

  it("accept a revoked key in no request that was begun after the answer", async () => {
    const { workspace_key } = database.credentials
    await endsAtOnce(0, "credential_revoked", (api, address) => api.ask(workspace_key, "DELETE", address))
  })

  it("record in activity how often a revoked key was refused in both, in one entry a minute", async () => {
    const { workspace_key } = database.credentials
    const begunAt = Date.now()
    const { id, refusals } = await endsAtOnce(0, "credential_revoked", (api, address) =>
      api.ask(workspace_key, "DELETE", address)
    )
    const refusalsOf = async () => {
      const { body } = await apis[1]!.ask(workspace_key, "GET", "/api/v1/activity?resource_type=api_key")
      const items = body.items as ReadonlyArray<Record<string, unknown>>
      return items.filter((one) => one.action === "api_key.refused" && one.resource_id === id)
    }
    const entries = await until("all refusals are recorded", async () => {
      const found = await refusalsOf()
      const count = found.reduce((sum, { payload }) => sum + Number((payload as Record<string, unknown>).count), 0)
      return count >= refusals ? found : undefined
    })
    assert.isAtMost(entries.length, Math.floor(Date.now() / 60_000) - Math.floor(begunAt / 60_000) + 1)
    for (const { payload } of entries) {
      assert.deepInclude(payload as object, { reason: "revoked", client_address: "127.0.0.1" })
    }
    const counts = entries.map(({ payload }) => Number((payload as Record<string, unknown>).count))
    assert.strictEqual(
      counts.reduce((sum, count) => sum + count, 0),
      refusals
    )
  })

  it("accept the old value of a rotated key without grace in no such request, and its successor at once", async () => {
    const { workspace_key } = database.credentials
    let successor = ""
    await endsAtOnce(1, "credential_expired", async (api, address) => {
      const rotated = await api.ask(workspace_key, "POST", `${address}/rotate`, {})
      successor = String((rotated.body.new as Record<string, unknown>).key)
      return rotated
    })
    for (const api of apis) assert.strictEqual((await api.ask(successor, "GET", "/api/v1/auth/me")).status, 200)
  })

  it("accept a key that was switched off in no such request, and again once it is on", async () => {
    const { workspace_key } = database.credentials
    const switchTo = (status: string) => (api: Api, address: string) =>
      api.ask(workspace_key, "PATCH", address, { status })
    const { id, key } = await endsAtOnce(0, "credential_disabled", switchTo("disabled"))
    await switchTo("active")(apis[1]!, `${KEYS}/${id}`)
    for (const api of apis) assert.strictEqual((await api.ask(String(key), "GET", "/api/v1/auth/me")).status, 200)
  })

  it("make one successor of a key that all rotate at once, and lose nothing of what they change at once", async () => {
    const { workspace_key } = database.credentials
    const made = await apis[0]!.ask(workspace_key, "POST", KEYS, { name: "Contended" })
    const address = `${KEYS}/${made.body.id}`
    const changes = [
      { name: "Changed" },
      { scopes: ["runs:read"] },
      { metadata: { team: "blue" } },
      { rate_limit: { limit: 5, window_seconds: 1 } },
      { allowed_ips: ["127.0.0.0/8"] }
    ]
    const changed = await Promise.all(
      changes.map((change, index) => apis[index % 2]!.ask(workspace_key, "PATCH", address, change))
    )
    assert.deepStrictEqual([...new Set(changed.map(({ status }) => status))], [200])
    const rotated = await Promise.all(
      Array.from({ length: 20 }, (_, index) => apis[index % 2]!.ask(workspace_key, "POST", `${address}/rotate`, {}))
    )
    const successors = rotated.filter(({ status }) => status === 201)
    assert.strictEqual(successors.length, 1)
    assert.strictEqual(rotated.filter(({ status }) => status === 422).length, 19)
    assert.deepInclude(successors[0]!.body.new as object, Object.assign({}, ...changes))
  })

  it("show when a key was last used, whichever of them has seen it", async () => {
    const { workspace_key } = database.credentials
    for (const [index, api] of apis.entries()) {
      const made = await apis[0]!.ask(workspace_key, "POST", KEYS, { name: `Used at ${index}` })
      const begunAt = Date.now()
      await api.ask(String(made.body.key), "GET", "/api/v1/auth/me")
      const lastUsedAt = await until("the use of the key is written", async () => {
        const { body } = await apis[1 - index]!.ask(workspace_key, "GET", `${KEYS}?limit=1`)
        const [newest] = body.items as ReadonlyArray<Record<string, unknown>>
        return newest?.last_used_at == null ? undefined : String(newest.last_used_at)
      })
      assert.isAtLeast(Date.parse(lastUsedAt), begunAt)
    }
  })

  it("share one count of a key's requests", async () => {
    const { workspace_key } = database.credentials
    const made = await apis[0]!.ask(workspace_key, "POST", KEYS, {
      name: "Limited",
      rate_limit: { limit: 20, window_seconds: 86_400 }
    })
    const asked = await Promise.all(
      Array.from({ length: 60 }, (_, index) => apis[index % 2]!.ask(String(made.body.key), "GET", "/api/v1/auth/me"))
    )
    assert.strictEqual(asked.filter(({ status }) => status === 200).length, 20)
    assert.strictEqual(asked.filter(({ status }) => status === 429).length, 40)
  })
})
