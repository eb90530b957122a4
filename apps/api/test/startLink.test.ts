/** The link of `npm start`: exchanged once, by the page of this machine alone; and its listener. */
import { createHash } from "node:crypto"
import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { SettingInvalid } from "@agent-platform/process"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { freePort } from "../../../infra/local/postgres/freePort.ts"
import { config } from "../src/config.ts"
import {
  isListenerOf,
  parseStartLink,
  StartLink,
  type StartLinkGiven,
  withListener
} from "../src/start-link/StartLink.ts"
import { rawRequest } from "./rawRequest.ts"
import { BASE_URL, layer as layerApi, TestApi } from "./support.ts"

const CODE = "a-code-of-thirty-two-bytes-or-so-0123456789"

/** A link whose organization is set by each test, since tenants are made once the API runs. */
const link: { -readonly [Name in keyof StartLinkGiven]: StartLinkGiven[Name] } = {
  codeHash: "",
  organizationId: OrganizationId.make("0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"),
  workspaceId: WorkspaceId.make("0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"),
  expiresAt: 0,
  listenerPort: await freePort(),
  listenerToken: "0123456789abcdef",
  credentialsFile: "/a folder/.data/credentials.json"
}

const aLink = (code: string, minutes = 10) =>
  Effect.gen(function* () {
    const api = yield* TestApi
    const tenant = yield* api.tenant
    link.codeHash = createHash("sha256").update(code).digest("hex")
    link.organizationId = OrganizationId.make(tenant.organizationId)
    link.workspaceId = WorkspaceId.make(tenant.workspaceId)
    link.expiresAt = Date.now() + minutes * 60_000
    return tenant
  })

const LINES = {
  host: new URL(BASE_URL).host,
  origin: BASE_URL,
  "content-type": "application/json",
  connection: "close"
}

const post = (
  path: string,
  body: string,
  headers: Readonly<Record<string, string | undefined>> = {},
  method = "POST"
) => {
  const all = Object.entries({ ...LINES, "content-length": String(Buffer.byteLength(body)), ...headers })
  const lines = all.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`))
  return Effect.map(rawRequest(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`), (answer) => ({
    status: Number(answer.slice(9, 12)),
    body: answer.slice(answer.indexOf("\r\n\r\n") + 4)
  }))
}

const exchange = (code: string, headers?: Readonly<Record<string, string | undefined>>, method?: string) =>
  post("/start-link", JSON.stringify({ code }), headers, method)

describe("the link of npm start", () => {
  layer(layerApi.pipe(Layer.provide(Layer.succeed(StartLink, link))), { excludeTestServices: true })((it) => {
    it.effect("gives a key for each level, once, and each works", () =>
      Effect.gen(function* () {
        const { organizationId, workspaceId } = yield* aLink(CODE)
        const api = yield* TestApi
        const both = yield* Effect.all([exchange(CODE), exchange(CODE)], { concurrency: 2 })
        assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 404])
        const given = JSON.parse(both.find(({ status }) => status === 200)?.body ?? "")
        for (const [key, workspace] of [
          [given.org_key, null],
          [given.workspace_key, workspaceId]
        ]) {
          const { json } = yield* api.call("GET", "/api/v1/auth/me", { key })
          assert.strictEqual(String(json["organization"]?.["id"]), organizationId)
          assert.strictEqual(json["workspace"] === null ? null : String(json["workspace"]?.["id"]), workspace)
          const hours = (Date.parse(String(json["auth"]?.["expires_at"])) - Date.now()) / 3_600_000
          assert.closeTo(hours, 12, 0.1)
        }
        assert.strictEqual(given.credentials_file, link.credentialsFile)
        assert.strictEqual((yield* exchange(CODE)).status, 404)
      })
    )

    it.effect("ends the keys of the former link, and those alone", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { organizationId, workspaceId } = yield* aLink(`${CODE}-5`)
        const former = JSON.parse((yield* exchange(`${CODE}-5`)).body)
        // Somebody may call their own key so, and one that was made with the former link's key is theirs.
        const own = yield* api.call("POST", "/api/v1/auth/api-keys", {
          key: former.workspace_key,
          body: { name: "Dashboard, opened by npm start (workspace)" }
        })
        yield* aLink(`${CODE}-6`)
        link.organizationId = OrganizationId.make(organizationId)
        link.workspaceId = WorkspaceId.make(workspaceId)
        const later = JSON.parse((yield* exchange(`${CODE}-6`)).body)
        const status = (key: string) =>
          Effect.map(api.call("GET", "/api/v1/auth/me", { key }), (answer) => answer.status)
        const asked = [
          former.org_key,
          former.workspace_key,
          String(own.json["key"]),
          later.org_key,
          later.workspace_key
        ]
        assert.deepStrictEqual(yield* Effect.forEach(asked, status), [401, 401, 200, 200, 200])
      })
    )

    it.effect("is given to nobody else, and is not used up by them", () =>
      Effect.gen(function* () {
        const code = `${CODE}-2`
        yield* aLink(code)
        const refused: ReadonlyArray<Readonly<Record<string, string | undefined>>> = [
          { origin: "http://127.0.0.1:3000" },
          { origin: "null" },
          { origin: undefined },
          { host: "rebound.example:8080", origin: "http://rebound.example:8080" },
          { host: "rebound.example:8080" },
          { "x-forwarded-for": "203.0.113.9" },
          { forwarded: "for=203.0.113.9" }
        ]
        for (const headers of refused) assert.strictEqual((yield* exchange(code, headers)).status, 404)
        for (const method of ["GET", "PUT", "DELETE"]) {
          assert.strictEqual((yield* exchange(code, {}, method)).status, 405, method)
        }
        assert.strictEqual((yield* exchange(`${code}x`)).status, 404)
        assert.strictEqual((yield* post("/start-link", "{")).status, 404)
        assert.strictEqual((yield* post("/start-link", "x".repeat(2_000))).status, 413)
        assert.strictEqual((yield* exchange(code)).status, 200)
      })
    )

    it.effect("ends", () =>
      Effect.gen(function* () {
        const code = `${CODE}-3`
        yield* aLink(code, -1)
        assert.strictEqual((yield* exchange(code)).status, 404)
      })
    )

    it.effect("has a listener that shows what it was sent, to who has its address", () =>
      Effect.gen(function* () {
        yield* aLink(`${CODE}-4`)
        const { port } = yield* TestApi
        const send = (token: string, body: string, method = "POST") =>
          Effect.promise(async () => {
            const headers = {
              "x-service-signature": "t=1,v1=ab",
              "x-service-event-type": "run.completed",
              authorization: "Bearer secret"
            }
            const sent = method === "GET" ? {} : { body }
            return (await fetch(`http://127.0.0.1:${link.listenerPort}/${token}`, { method, headers, ...sent })).status
          })
        assert.strictEqual(yield* send(link.listenerToken, '{"type":"run.completed"}'), 204)
        assert.strictEqual(yield* send(link.listenerToken, "x".repeat(300_000)), 413)
        assert.strictEqual(yield* send("0123456789abcdee", "{}"), 404)
        assert.strictEqual(yield* send(link.listenerToken, "", "GET"), 404)
        const path = `/start-link/received/${link.listenerToken}`
        const stream = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}${path}`))
        const reader = stream.body?.getReader()
        let text = ""
        while (!text.includes("run.completed")) {
          text += new TextDecoder().decode((yield* Effect.promise(() => reader?.read() ?? Promise.reject(text))).value)
        }
        assert.include(text, "x-service-signature")
        assert.notInclude(text, "secret")
        yield* Effect.promise(() => reader?.cancel() ?? Promise.resolve())
        assert.strictEqual((yield* post(`${path.slice(0, -1)}_`, "", {}, "GET")).status, 404)
        assert.strictEqual((yield* post(path, "", { "x-forwarded-for": "203.0.113.9" }, "GET")).status, 404)

        // Asked by its own page alone, it refuses one test, and nothing else that comes.
        const [test, other] = ['{"data":{"test":true}}', '{"data":{"run_id":"1"}}']
        for (const headers of [{ origin: "http://127.0.0.1:3000" }, { forwarded: "for=203.0.113.9" }]) {
          assert.strictEqual((yield* post(path, "", headers)).status, 404)
        }
        assert.strictEqual((yield* post(`${path.slice(0, -1)}_`, "")).status, 404)
        assert.strictEqual(yield* send(link.listenerToken, test), 204)
        assert.strictEqual((yield* post(path, "")).status, 204)
        const answers = yield* Effect.forEach([other, test, test], (body) => send(link.listenerToken, body))
        assert.deepStrictEqual(answers, [204, 500, 204])
      })
    )

    it.effect("tells keys of its own organization where it listens, on this machine", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const stranger = yield* api.tenant
        const tenant = yield* aLink(`${CODE}-7`)
        const ask = (key: string, headers: Readonly<Record<string, string>> = {}) =>
          post("/start-link/listener", "", { "x-api-key": key, ...headers }, "GET")
        const { body, status } = yield* ask(tenant.orgKey)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(JSON.parse(body), {
          listener_url: `http://127.0.0.1:${link.listenerPort}/${link.listenerToken}`,
          received_url: `/start-link/received/${link.listenerToken}`
        })
        assert.strictEqual((yield* ask(tenant.workspaceKey)).status, 404)
        assert.strictEqual((yield* ask(stranger.orgKey)).status, 404)
        assert.strictEqual((yield* ask("apk_ws_none")).status, 401)
        assert.strictEqual((yield* ask(tenant.orgKey, { host: "rebound.example:8080" })).status, 404)
        assert.strictEqual((yield* ask(tenant.orgKey, { "x-forwarded-for": "203.0.113.9" })).status, 404)
      })
    )
  })

  layer(layerApi, { excludeTestServices: true })((it) => {
    it.effect("is nowhere unless npm start has made one", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* exchange(CODE)).status, 404)
        assert.strictEqual((yield* post(`/start-link/received/${link.listenerToken}`, "", {}, "GET")).status, 404)
      })
    )
  })
})

describe("the setting START_LINK", () => {
  const given = `${"ab".repeat(32)} ${link.organizationId} ${link.workspaceId} 1795683077481 9080 /a folder/.data/credentials.json`
  const read = (settings: Readonly<Record<string, string>>) =>
    config.pipe(
      Effect.provide(
        ConfigProvider.layer(
          ConfigProvider.fromUnknown({
            DATABASE_URL: "postgres://nobody:nothing@127.0.0.1:1/none",
            SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
            ...settings
          })
        )
      )
    )

  it("has a listener whose token is compared with anything", () => {
    assert.isTrue(isListenerOf(link, link.listenerToken))
    for (const token of ["", "x", "é".repeat(link.listenerToken.length), `${link.listenerToken}x`]) {
      assert.isFalse(isListenerOf(link, token), token)
    }
  })

  it("has a form", () => {
    const parsed = parseStartLink(given)
    assert.deepInclude(parsed, {
      expiresAt: 1795683077481,
      listenerPort: 9080,
      credentialsFile: "/a folder/.data/credentials.json"
    })
    const tokens = ["a", "a", "b"].map((key) => parsed && withListener(parsed, Redacted.make(key)).listenerToken)
    assert.deepStrictEqual([tokens[0] === tokens[1], tokens[0] === tokens[2]], [true, false])
    for (const text of ["", "on", given.slice(1), given.replace("0199f2a4", "x"), given.replace(" /a", " a")]) {
      assert.strictEqual(parseStartLink(text), undefined, text)
    }
  })

  it.effect("is off by default, and is taken on loopback", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({})).startLink, null)
      assert.isNotNull((yield* read({ START_LINK: given })).startLink)
      assert.isNotNull((yield* read({ START_LINK: given, HOST: "::1", BASE_URL: "http://localhost:8080" })).startLink)
    })
  )

  it.effect.each([
    { HOST: "0.0.0.0" },
    { HOST: "0.0.0.0", BASE_URL: "http://127.0.0.1:8080" },
    { HOST: "::" },
    { BASE_URL: "https://agents.example.com" },
    { BASE_URL: "http://127.0.0.1.example.com" },
    { HOST: "10.0.0.5" }
  ])("is refused where others reach the API: %j", (settings) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read({ ...settings, START_LINK: given }))
      assert.instanceOf(error, SettingInvalid)
      assert.match(error.message, /^START_LINK is for a HOST/)
    })
  )
})
