/** Secrets stay secret: in no table, no line of a log and no error in the clear. Spec: Secrets at rest. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { Browser } from "../../packages/oauth/test/support/Browser.ts"
import { startProvider } from "../../packages/oauth/test/support/TestProvider.ts"
import { type App, makeDatabase, SECRETS_KEY, startApi, startApp, startReceiver, until } from "./harness.ts"

type Database = Awaited<ReturnType<typeof makeDatabase>>
type Api = Awaited<ReturnType<typeof startApi>>
type Provider = Awaited<ReturnType<typeof startProvider>>

const EMAIL = "person@example.com"
const TOOL_SECRETS = {
  added: `tool-added-${crypto.randomUUID()}`,
  replaced: `tool-replaced-${crypto.randomUUID()}`,
  client: `tool-client-${crypto.randomUUID()}`,
  refused: `tool-refused-${crypto.randomUUID()}`
}
const PROVIDER_KEYS = {
  taken: "sk-taken-5d2f0e6c9a814b7fb3c1",
  erased: "sk-erased-77a0c3e1f9d24c55a2b8",
  refused: "sk-refused-0b9e8d7c6f5a41b2c3d4",
  replaced: "sk-replaced-f00dfeed1234cafe5678",
  misplaced: "sk-misplaced-3c7a91e05b8d42f6a1c4"
}

/** A model provider that takes most keys, and repeats the one that it refuses in its answer, as some do. */
const startModels = async () => {
  const server = createServer((request, response) => {
    const key = String(request.headers.authorization).replace("Bearer ", "")
    const refused = key === PROVIDER_KEYS.refused
    const body = refused ? { error: { message: `Incorrect API key provided: ${key}`, code: key } } : { data: [] }
    response.writeHead(refused ? 401 : 200, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, close: () => new Promise((resolve) => server.close(resolve)) }
}

/** Every row of every table, as text, and which tables there were. */
const dump = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const tables = yield* sql<{ readonly name: string }>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')
    `
    const rows = yield* Effect.forEach(tables, ({ name }) =>
      sql.unsafe<{ readonly text: string }>(`select row_to_json(one)::text as text from ${name} as one`)
    )
    return {
      tables: tables.map(({ name }) => name),
      text: rows.flatMap((table) => table.map(({ text }) => text)).join("\n")
    }
  }).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url) })),
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

describe("secrets", () => {
  let database: Database
  let api: Api
  let worker: App
  const closing: Array<() => Promise<unknown>> = []
  /** Everything that must be nowhere, by what it is. */
  const secrets = new Map<string, string>()
  const errors: Array<string> = []
  let address: string

  const keep = (what: string, secret: unknown): string => {
    assert.isString(secret, what)
    assert.isAbove(String(secret).length, 15, what)
    secrets.set(what, String(secret))
    return String(secret)
  }

  /** Asks, and keeps the answer when it is an error. */
  const ask = async (
    key: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (response.status >= 400) errors.push(text)
    return { status: response.status, json: JSON.parse(text) as Record<string, unknown> }
  }

  const handleKeys = async () => {
    const { org_key, workspace_key } = database.credentials
    keep("the first workspace key", workspace_key)
    keep("the first organization key", org_key)
    const created = await ask(
      workspace_key,
      "POST",
      "/api/v1/auth/api-keys",
      { name: "One" },
      { "idempotency-key": "one" }
    )
    const value = keep("a new key", created.json.key)
    const rotated = await ask(workspace_key, "POST", `/api/v1/auth/api-keys/${created.json.id}/rotate`, {})
    keep("a key's successor", (rotated.json.new as Record<string, unknown>).key)
    await ask(workspace_key, "GET", "/api/v1/auth/api-keys")
    // Where secrets do not belong, and end up all the same.
    await ask(value, "GET", "/api/v1/auth/me")
    await ask(`${value.slice(0, -1)}0`, "GET", "/api/v1/auth/me")
    await ask(workspace_key, "GET", `/api/v1/runs/${value}`)
    await ask(workspace_key, "GET", `/api/v1/agents?key=${value}`)
    await ask(workspace_key, "POST", "/api/v1/auth/api-keys", { name: "Two", [value]: 1, scopes: [value] })
    await ask(workspace_key, "GET", "/api/v1/auth/me", undefined, { "x-workspace-id": value, "x-request-id": value })
  }

  const handleToolSecrets = async () => {
    const { workspace_key } = database.credentials
    for (const [what, value] of Object.entries(TOOL_SECRETS)) keep(`the tool secret that was ${what}`, value)
    const add = (body: object) =>
      ask(workspace_key, "POST", "/api/v1/tool-secrets", { name: "Orders", host_pattern: "api.example.com", ...body })
    const added = await add({ header: "x-api-key", value: TOOL_SECRETS.added })
    assert.strictEqual(added.status, 201)
    const path = `/api/v1/tool-secrets/${added.json.id}`
    await ask(workspace_key, "PATCH", path, { value: TOOL_SECRETS.replaced })
    const oauth = { token_url: "https://login.example.com/", client_id: "a", client_secret: TOOL_SECRETS.client }
    await add({ name: "Others", oauth: { ...oauth, scope: 1 } })
    await add({ header: "x-api-key", value: `${TOOL_SECRETS.refused}\u0000` })
    await add({ header: "x-api-key", values: TOOL_SECRETS.refused })
    await add({ header: TOOL_SECRETS.refused, value: 1 })
    await ask(workspace_key, "PATCH", path, { oauth })
    await ask(workspace_key, "DELETE", path)
  }

  const handleProviderKeys = async () => {
    const { workspace_key } = database.credentials
    for (const [what, key] of Object.entries(PROVIDER_KEYS)) keep(`the provider key that was ${what}`, key)
    const register = (key: string) => ask(workspace_key, "POST", "/api/v1/byok/openai", { key })
    const taken = await register(PROVIDER_KEYS.taken)
    assert.strictEqual(taken.json.status, "active")
    const erased = await register(PROVIDER_KEYS.erased)
    await ask(workspace_key, "DELETE", `/api/v1/byok/${erased.json.id}`)
    assert.strictEqual((await register(PROVIDER_KEYS.refused)).status, 422)
    await ask(workspace_key, "PATCH", `/api/v1/byok/${taken.json.id}`, { key: PROVIDER_KEYS.replaced })
    await ask(workspace_key, "POST", `/api/v1/byok/${taken.json.id}/validate`)
    await ask(workspace_key, "POST", "/api/v1/byok/openai", { keys: PROVIDER_KEYS.taken })
    await ask(workspace_key, "POST", "/api/v1/byok/openai", { key: `${PROVIDER_KEYS.taken}\u0000` })
    // Where they do not belong.
    const misplaced = PROVIDER_KEYS.misplaced
    const refusals = [
      await ask(workspace_key, "POST", "/api/v1/byok/openai", { [misplaced]: 1 }),
      await ask(workspace_key, "POST", "/api/v1/byok/openai", { key: "sk-x", name: misplaced }),
      await ask(workspace_key, "PATCH", `/api/v1/byok/${taken.json.id}`, { name: `mine: ${misplaced}` }),
      await ask(workspace_key, "POST", "/api/v1/auth/api-keys", { name: misplaced }),
      await ask(workspace_key, "POST", "/api/v1/auth/api-keys", { name: "One", metadata: { [misplaced]: "x" } }),
      await ask(workspace_key, "GET", `/api/v1/runs/?${misplaced}=1`)
    ]
    for (const { status } of refusals) assert.strictEqual(status, 422)
    await ask(workspace_key, "GET", `/api/v1/runs/${misplaced}`, undefined, { "x-request-id": misplaced })
  }

  const handleHooks = async () => {
    const { agent_id, workspace_key } = database.credentials
    const { json } = await ask(workspace_key, "POST", `/api/v1/agents/${agent_id}/webhooks`, {})
    const hook = new URL(String(json.url)).pathname
    keep("the token of an inbound URL", hook.split("/").at(-1))
    for (const path of [hook, hook.replace("hooks", "%68ooks")]) {
      assert.strictEqual((await ask(workspace_key, "POST", path, {})).status, 202)
    }
    for (const path of [`${hook}x`, `${hook}/x`, `/${hook}`, `${hook};x`, `${hook}?x=%`]) {
      assert.isAtLeast((await ask(workspace_key, "POST", path, {})).status, 400)
    }
  }

  const handleWebhooks = async () => {
    const { agent_id, org_key, workspace_key } = database.credentials
    const receiver = await startReceiver((number) => (number === 1 ? 500 : 200))
    closing.push(receiver.stop)
    const registered = await ask(org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
    keep("a signing secret", registered.json.secret)
    keep(
      "the bytes of a signing secret",
      Buffer.from(String(registered.json.secret).slice(6), "base64").toString("hex")
    )
    await ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, input: { steps: [{ return: 1 }] } })
    await until("a delivery was attempted", () => receiver.received.length > 0)
  }

  const logIn = async (provider: Provider) => {
    const { org_key } = database.credentials
    keep("the client secret", provider.clientSecret)
    await ask(org_key, "POST", "/api/v1/org/members", { email: EMAIL, organization_role: "owner" })
    provider.behaviour.person = { id: "1", email: EMAIL, verified: true, name: "Person" }
    const browser = new Browser()
    const callback = `${address}/api/v1/auth/oauth/google/callback`
    const begun = await browser.ask(`${address}/api/v1/auth/oauth/google/login`)
    for (const cookie of browser.jar(address).values()) keep("the secret of a login under way", cookie)
    const location = String(begun.headers.get("location"))
    keep("the state of a login", new URL(location).searchParams.get("state"))
    const back = await browser.follow(location, callback)
    keep("a code", new URL(back).searchParams.get("code"))
    // A foreign browser with a right code, then the right one, then that one again.
    errors.push(await (await new Browser().ask(back)).text())
    await browser.ask(back)
    errors.push(await (await browser.ask(back)).text())
    const cookie = [...browser.jar(address)].find(([name]) => name.includes("session"))
    const session = keep("the secret of a session", cookie?.[1])
    const me = await browser.ask(`${address}/api/v1/auth/me`)
    keep("a CSRF token", ((await me.json()) as Record<string, unknown>).csrf_token)
    const refused = await fetch(`${address}/api/v1/auth/logout`, {
      method: "POST",
      headers: { cookie: `${cookie?.[0]}=${session}`, "x-csrf-token": session }
    })
    errors.push(await refused.text())
  }

  beforeAll(async () => {
    database = await makeDatabase(inject("postgresUrl"))
    closing.push(database.drop)
    const models = await startModels()
    closing.push(models.close)
    const settings = { LOG_LEVEL: "trace", PROVIDER_OPENAI_URL: models.url, EGRESS_ALLOW_LOOPBACK: "true" }
    const { promise: provider, resolve } = Promise.withResolvers<Provider>()
    api = await startApi(database.url, async (port) => {
      address = `http://127.0.0.1:${port}`
      const started = await startProvider("google", [`${address}/api/v1/auth/oauth/google/callback`])
      resolve(started)
      return {
        ...settings,
        OAUTH_GOOGLE_ISSUER: started.url,
        OAUTH_GOOGLE_CLIENT_ID: started.clientId,
        OAUTH_GOOGLE_CLIENT_SECRET: started.clientSecret
      }
    })
    closing.push(
      async () => (await provider).close(),
      () => api.stop()
    )
    worker = await startApp("worker", database.url, settings)
    closing.push(() => worker.stop())
    keep("the key that seals", SECRETS_KEY)
    await handleKeys()
    await handleProviderKeys()
    await handleToolSecrets()
    await handleHooks()
    await handleWebhooks()
    await logIn(await provider)
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  /** The secrets that a text holds, as they are or as an encoding of their bytes. */
  const foundIn = (text: string): ReadonlyArray<string> =>
    [...secrets].flatMap(([what, secret]) => {
      const forms = [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")]
      return forms.some((form) => text.includes(form.replace(/=+$/, ""))) ? [what] : []
    })

  it("are in no row of any table in the clear", async () => {
    const { tables, text } = await dump(database.ownerUrl)
    for (const table of ["api_key", "provider_key", "webhook_endpoint", "login_session", "login_attempt", "activity"]) {
      assert.include(tables, `agent_platform.${table}`)
    }
    assert.include(text, EMAIL)
    assert.deepStrictEqual(foundIn(text), [])
  })

  it("are in no line of a log, however much is logged", () => {
    assert.include(api.log(), "GET /api/v1/auth/me")
    assert.isNotEmpty(worker.log())
    assert.deepStrictEqual(foundIn(api.log() + worker.log()), [])
  })

  it("are in no error, even where they were sent to the wrong place", () => {
    assert.isAbove(errors.length, 10)
    assert.deepStrictEqual(foundIn(errors.join("\n")), [])
  })
})
