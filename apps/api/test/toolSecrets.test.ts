/** The credentials of a workspace's tools over the interface: what is taken, what is shown, and what is refused. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

const PATH = "/api/v1/tool-secrets"
const VALUE = "Bearer value-of-the-host-0123456789"
const CLIENT_SECRET = "secret-of-the-client-0123456789"

const HEADER = { name: "Orders", host_pattern: "API.example.com", header: "Authorization", value: VALUE }
const OAUTH = {
  name: "By OAuth",
  host_pattern: "*.example.com",
  oauth: { token_url: "https://login.example.com/token", client_id: "agents", client_secret: CLIENT_SECRET }
}

const post = (tenant: Tenant, body: unknown, headers: Record<string, string> = {}) =>
  TestApi.use((api) => api.call("POST", PATH, { key: tenant.workspaceKey, body, headers }))

/** An answer's body, to be compared. */
const plain = ({ json }: { readonly json: unknown }) => json as Readonly<Record<string, unknown>>

const pointers = (json: unknown) =>
  (((json as Readonly<Record<string, unknown>>)["errors"] ?? []) as ReadonlyArray<{ readonly pointer: string }>).map(
    ({ pointer }) => pointer
  )

layer(layerApi, { excludeTestServices: true })("tool secrets", (it) => {
  it.effect("are added, read, listed, changed and deleted, and their values never shown", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const created = yield* post(tenant, HEADER)
      assert.strictEqual(created.status, 201)
      assert.deepInclude(plain(created), {
        name: "Orders",
        host_pattern: "api.example.com",
        header: "authorization",
        oauth: null,
        version: 1
      })
      const client = yield* post(tenant, OAUTH)
      assert.deepInclude(plain(client), {
        header: "authorization",
        oauth: {
          token_url: "https://login.example.com/token",
          client_id: "agents",
          scope: null,
          auth_method: "client_secret_basic"
        }
      })
      const one = `${PATH}/${created.json["id"]}`
      const read = yield* api.call("GET", one, { key })
      assert.deepStrictEqual(read.json, created.json)
      const list = yield* api.call("GET", `${PATH}?limit=1`, { key })
      assert.deepInclude(plain(list), { items: [plain(client)] })
      const next = yield* api.call("GET", `${PATH}?limit=1&cursor=${list.json["next_cursor"]}`, { key })
      assert.deepInclude(plain(next), { items: [plain(created)], next_cursor: null })
      const changed = yield* api.call("PATCH", one, {
        key,
        headers: { "if-match": '"1"' },
        body: { name: "Renamed", value: `${VALUE}-new` }
      })
      assert.deepInclude(plain(changed), { name: "Renamed", version: 2 })
      const late = yield* api.call("PATCH", one, { key, headers: { "if-match": "1" }, body: { name: "No" } })
      assert.deepInclude(plain(late), { status: 409, code: "version_conflict" })
      const deleted = yield* api.call("DELETE", one, { key })
      assert.deepStrictEqual(deleted.json as unknown, { id: created.json["id"], status: "deleted" })
      assert.strictEqual((yield* api.call("DELETE", one, { key })).status, 404)
      const said = [created, client, read, list, next, changed, late, deleted].map(({ text }) => text).join()
      for (const secret of ["value-of-the-host", CLIENT_SECRET]) assert.notInclude(said, secret)
    })
  )

  it.effect("are added once for an Idempotency-Key, and once for a name and for a header of the same hosts", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const headers = { "idempotency-key": crypto.randomUUID() }
      const first = yield* post(tenant, HEADER, headers)
      const again = yield* post(tenant, HEADER, headers)
      assert.deepStrictEqual([again.status, again.json], [201, first.json])
      assert.deepInclude(plain(yield* post(tenant, { ...HEADER, value: `${VALUE}x` }, headers)), {
        code: "idempotency_key_reused"
      })
      assert.deepInclude(plain(yield* post(tenant, { ...OAUTH, name: "Orders" })), {
        status: 409,
        code: "tool_secret_exists",
        detail: "Another tool secret of the workspace has this name"
      })
      const same = { ...HEADER, name: "Other", host_pattern: "api.example.COM", header: "AUTHORIZATION" }
      assert.deepInclude(plain(yield* post(tenant, same)), { status: 409, code: "tool_secret_exists" })
      const other = yield* post(tenant, { ...same, header: "x-api-key" })
      const path = `${PATH}/${other.json["id"]}`
      const renamed = yield* api.call("PATCH", path, { key: tenant.workspaceKey, body: { name: "Orders" } })
      assert.deepInclude(plain(renamed), { status: 409, code: "tool_secret_exists" })
    })
  )

  it.effect("are refused where they could do harm or could not be sent, at the member that is at fault", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ ...HEADER, value: `${VALUE}\r\nx-injected: 1` }, "/value"],
        [{ ...HEADER, value: `${VALUE}\n` }, "/value"],
        [{ ...HEADER, value: "value with é 0123456789" }, "/value"],
        [{ ...HEADER, value: " 0123456789" }, "/value"],
        [{ ...HEADER, value: "short" }, "/value"],
        [{ ...HEADER, value: "Bearer short" }, "/value"],
        [{ ...HEADER, value: "x".repeat(4_097) }, "/value"],
        [{ name: "x", host_pattern: "a.example.com", header: "x-a" }, "/value"],
        [{ name: "x", host_pattern: "a.example.com", value: VALUE }, "/header"],
        [{ name: "x", host_pattern: "a.example.com" }, "/header"],
        [{ ...HEADER, header: "x-a: b\r\nx-c" }, "/header"],
        [{ ...HEADER, header: "Host" }, "/header"],
        [{ ...HEADER, header: "content-length" }, "/header"],
        [{ ...HEADER, header: "Transfer-Encoding" }, "/header"],
        [{ ...HEADER, header: "proxy-authorization" }, "/header"],
        [{ ...HEADER, header: "Mcp-Session-Id" }, "/header"],
        [{ ...HEADER, header: "accept" }, "/header"],
        ...[
          "*",
          "*.com",
          "*.10.0.0.1",
          "api.example.com.",
          "user@api.example.com",
          "https://api.example.com",
          "ä.example"
        ].map((host_pattern) => [{ ...HEADER, host_pattern }, "/host_pattern"] as const),
        [{ ...HEADER, oauth: OAUTH.oauth }, "/header"],
        [{ ...OAUTH, value: VALUE }, "/value"],
        [{ ...OAUTH, oauth: { ...OAUTH.oauth, client_secret: "short" } }, "/oauth/client_secret"],
        [{ ...OAUTH, oauth: { ...OAUTH.oauth, client_id: "a\r\nb" } }, "/oauth/client_id"],
        [{ ...OAUTH, oauth: { ...OAUTH.oauth, scope: "" } }, "/oauth/scope"],
        [{ ...OAUTH, oauth: { ...OAUTH.oauth, auth_method: "none" } }, "/oauth/auth_method"],
        [{ ...OAUTH, oauth: { token_url: OAUTH.oauth.token_url } }, "/oauth/client_id"],
        [{ ...HEADER, name: VALUE.replace("value-of-the-host", "sk-proj-abcdefghijklmnopqrstuvwxyz") }, "/name"]
      ]
      for (const [body, pointer] of cases) {
        const { json, status } = yield* post(tenant, body)
        assert.deepEqual([status, pointers(json).includes(pointer)], [422, true], `${pointer} ${JSON.stringify(json)}`)
      }
      const inside = { ...OAUTH, oauth: { ...OAUTH.oauth, token_url: "http://169.254.169.254/token" } }
      assert.deepInclude(plain(yield* post(tenant, inside)), { status: 422, code: "url_not_public" })
      const list = yield* api.call("GET", PATH, { key: tenant.workspaceKey })
      assert.deepInclude(plain(list), { items: [] })
    })
  )

  it.effect("cannot be sent elsewhere by a change, nor become of the other kind", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const header = `${PATH}/${(yield* post(tenant, HEADER)).json["id"]}`
      const client = `${PATH}/${(yield* post(tenant, OAUTH)).json["id"]}`
      const cases: ReadonlyArray<readonly [string, object, string]> = [
        [header, { host_pattern: "evil.example.net" }, "/host_pattern"],
        [header, { header: "x-other" }, "/header"],
        [client, { oauth: { token_url: "https://evil.example.net/" } }, "/oauth/token_url"],
        [header, { oauth: { client_id: "x" } }, "/oauth"],
        [client, { value: VALUE }, "/value"],
        [header, { value: null }, "/value"]
      ]
      for (const [path, body, pointer] of cases) {
        const { json, status } = yield* api.call("PATCH", path, { key, body })
        assert.deepEqual([status, pointers(json)], [422, [pointer]], JSON.stringify(json))
      }
      const changed = yield* api.call("PATCH", client, {
        key,
        body: { oauth: { scope: "read", client_secret: `${CLIENT_SECRET}-new` } }
      })
      assert.deepInclude(plain(changed), { version: 2 })
      assert.strictEqual(String(changed.json["oauth"]?.["scope"]), "read")
      const none = yield* api.call("PATCH", client, { key, body: { oauth: { scope: null } } })
      assert.isNull(none.json["oauth"]?.["scope"])
    })
  )
})
