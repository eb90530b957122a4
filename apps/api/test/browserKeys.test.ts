/** Keys that a page reads one run or one session with. docs/http.md, A page that follows a run. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authenticated, bodyFor, endpoints, UNKNOWN_ID } from "./endpoints.ts"
import { openStream } from "./eventStream.ts"
import { aPerson } from "./people.ts"
import {
  anAgent,
  CORS_ORIGINS,
  layer as layerApi,
  layerMemory,
  layerOver,
  layerWithWorkers,
  type Tenant,
  TestApi
} from "./support.ts"

interface Ids {
  readonly run: string
  readonly session: string
}

/** A run of the tenant, in a session of its own unless one is given. */
const aRun = Effect.fnUntraced(function* (tenant: Tenant, body: Record<string, unknown> = {}) {
  const api = yield* TestApi
  const agent_id = yield* anAgent(tenant)
  const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id, ...body } })
  const ids: Ids = { run: String(json["run_id"]), session: String(json["session_id"]) }
  return ids
})

const ofRun = ({ run }: Ids) => `/api/v1/runs/${run}/browser-keys`
const ofSession = ({ session }: Ids) => `/api/v1/sessions/${session}/browser-keys`

const make = (path: string, headers: Readonly<Record<string, string>>, body: unknown = {}) =>
  TestApi.use((api) => api.call("POST", path, { headers, body }))

/** The value of a new browser key. */
const made = Effect.fnUntraced(function* (path: string, by: string, body: unknown = {}) {
  const { json, status, text } = yield* make(path, { "x-api-key": by }, body)
  assert.strictEqual(status, 201, text)
  return String(json["key"])
})

const outcomeOf = ({ json, status }: { readonly status: number; readonly json: Record<string, unknown> }) =>
  `${status} ${json["code"]}`

/** The answer without what differs between any two requests. */
const comparable = (text: string) => text.replace(/"request_id":"[^"]+"/, "").replace(/"instance":"[^"]+"/, "")

/** The operations that browser keys reach, written by hand: what is new is not among them by itself. */
const REACHED = ["runs.getRun", "runs.getRunLog", "runs.listRuns", "sessions.getSession", "sessions.listMessages"]

layer(layerApi, { excludeTestServices: true })("a browser key", (it) => {
  it.effect("is made by keys and people who read runs, and answers its value this once", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const ids = yield* aRun(tenant)
      const inWorkspace = { "x-workspace-id": tenant.workspaceId }
      const viewer = yield* aPerson(tenant, "viewer")
      const reader = yield* api.keyWith(tenant, { scopes: ["runs:read"] })
      for (const headers of [
        { "x-api-key": reader },
        { "x-api-key": tenant.orgKey, ...inWorkspace },
        { ...viewer.unsafe, ...inWorkspace }
      ]) {
        for (const [path, named] of [
          [ofRun(ids), { run_id: ids.run }],
          [ofSession(ids), { session_id: ids.session }]
        ] as const) {
          const once = { ...headers, "idempotency-key": crypto.randomUUID() }
          const { json, status, text } = yield* make(path, once, { expires_in_seconds: 60 })
          assert.strictEqual(status, 201, text)
          const { expires_at, id, key } = json as never as Record<string, string>
          assert.deepStrictEqual<unknown>(json, { id, key, expires_at, ...named })
          const left = Date.parse(String(expires_at)) - Date.now()
          assert.isTrue(left > 0 && left <= 60_000, String(left))
          const read = yield* api.call("GET", `/api/v1/runs/${ids.run}`, { headers: { "x-api-key": String(key) } })
          assert.strictEqual(read.status, 200, read.text)
          const again = yield* make(path, once, { expires_in_seconds: 60 })
          assert.deepStrictEqual<unknown>(again.json, { ...json, key: null })
        }
      }
    })
  )

  it.effect("is not made by who may not read runs, nor without the CSRF token, nor for what is not there", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, strangers] = [yield* api.tenant, yield* api.tenant]
      const [ids, foreign] = [yield* aRun(tenant), yield* aRun(strangers)]
      const inWorkspace = { "x-workspace-id": tenant.workspaceId }
      const viewer = yield* aPerson(tenant, "viewer")
      const blind = yield* api.keyWith(tenant, { scopes: ["agents:read", "keys:write"] })
      const nowhere = yield* aPerson(tenant, "owner")
      for (const pathOf of [ofRun, ofSession]) {
        const path = pathOf(ids)
        assert.strictEqual(outcomeOf(yield* make(path, { ...viewer.headers, ...inWorkspace })), "403 csrf_failed")
        assert.strictEqual(outcomeOf(yield* make(path, { "x-api-key": blind })), "403 insufficient_scope")
        assert.strictEqual(outcomeOf(yield* make(path, nowhere.unsafe)), "400 workspace_required")
        for (const expires_in_seconds of [0, 901, 1.5]) {
          const refused = yield* make(path, { "x-api-key": tenant.workspaceKey }, { expires_in_seconds })
          assert.strictEqual(outcomeOf(refused), "422 validation_failed")
        }
        const answers = []
        for (const id of [foreign.run, foreign.session, UNKNOWN_ID, "nonsense"]) {
          answers.push(yield* make(pathOf({ run: id, session: id }), { "x-api-key": tenant.workspaceKey }))
        }
        assert.strictEqual(new Set(answers.map(({ status, text }) => `${status} ${comparable(text)}`)).size, 1)
        assert.strictEqual(answers[0]?.status, 404)
      }
    })
  )

  it.effect("reaches the operations that are listed here, and no others", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const ids = yield* aRun(tenant)
      const declared = endpoints.filter(({ access }) => access?.browser !== undefined).map(({ id }) => id)
      assert.sameMembers(declared, REACHED)
      for (const endpoint of endpoints.filter(authenticated)) {
        if (REACHED.includes(endpoint.id)) continue
        const keys = [yield* made(ofRun(ids), tenant.workspaceKey), yield* made(ofSession(ids), tenant.workspaceKey)]
        for (const key of keys) {
          for (const id of [ids.run, ids.session, UNKNOWN_ID]) {
            const path = endpoint.path.replaceAll(UNKNOWN_ID, id)
            const answer = yield* api.call(endpoint.method, path, { ...bodyFor(endpoint), key })
            assert.strictEqual(outcomeOf(answer), "403 insufficient_scope", `${endpoint.id}: ${answer.text}`)
          }
        }
      }
    })
  )

  it.effect("reads its run or its session, and answers of others as of what does not exist", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, strangers] = [yield* api.tenant, yield* api.tenant]
      const ids = yield* aRun(tenant)
      const next = yield* aRun(tenant, { session_id: ids.session })
      const [sibling, foreign] = [yield* aRun(tenant), yield* aRun(strangers)]
      const forRun = yield* made(ofRun(ids), tenant.workspaceKey)
      const forSession = yield* made(ofSession(ids), tenant.workspaceKey)
      const json = { accept: "application/json" }
      const status = (key: string, path: string) =>
        Effect.map(api.call("GET", `/api/v1/${path}`, { key, headers: json }), (answer) => answer.status)
      const operations = {
        run: (id: string) => `runs/${id}`,
        log: (id: string) => `runs/${id}/logs`,
        session: (id: string) => `sessions/${id}`,
        messages: (id: string) => `sessions/${id}/messages`,
        runs: (id: string) => `runs/?session_id=${id}`
      }
      const readable = {
        [forRun]: { run: [ids.run], log: [ids.run], session: [], messages: [], runs: [] },
        [forSession]: {
          run: [ids.run, next.run],
          log: [ids.run, next.run],
          session: [ids.session],
          messages: [ids.session],
          runs: [ids.session]
        }
      }
      const everything = [ids, next, sibling, foreign].flatMap(({ run, session }) => [run, session])
      for (const [key, own] of Object.entries(readable)) {
        for (const [name, pathOf] of Object.entries(operations)) {
          for (const id of [...everything, UNKNOWN_ID, "nonsense"]) {
            const expected = (own[name as keyof typeof own] as ReadonlyArray<string>).includes(id) ? 200 : 404
            assert.strictEqual(yield* status(key, pathOf(id)), expected, `${name} ${id}`)
          }
        }
        const [unknown, other] = [
          yield* api.call("GET", `/api/v1/runs/${UNKNOWN_ID}`, { key }),
          yield* api.call("GET", `/api/v1/runs/${sibling.run}`, { key })
        ]
        assert.strictEqual(comparable(unknown.text), comparable(other.text))
        // A list that names no session, or two, is none of a session's.
        for (const query of ["", "?session_id=", `?session_id=${ids.session}&session_id=${sibling.session}`]) {
          assert.include([403, 404, 422], yield* status(key, `runs/${query}`))
        }
        const abroad = { "x-workspace-id": strangers.workspaceId }
        assert.strictEqual((yield* api.call("GET", `/api/v1/runs/${ids.run}`, { key, headers: abroad })).status, 404)
      }
      const listed = yield* api.call("GET", `/api/v1/runs/?session_id=${ids.session}`, { key: forSession })
      assert.strictEqual((listed.json["items"] as never as ReadonlyArray<unknown>).length, 2)
    })
  )

  it.effect("is taken from the headers alone, and never from an address", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const ids = yield* aRun(tenant)
      const key = yield* made(ofRun(ids), tenant.workspaceKey)
      const path = `/api/v1/runs/${ids.run}`
      for (const headers of [{ authorization: `Bearer ${key}` }, { "x-api-key": key }]) {
        assert.strictEqual((yield* api.call("GET", path, { headers })).status, 200)
      }
      for (const name of ["key", "api_key", "access_token", "token", "authorization", "x-api-key"]) {
        assert.strictEqual(outcomeOf(yield* api.call("GET", `${path}?${name}=${key}`)), "401 missing_credential")
      }
      const cookie = { cookie: `__Host-agent-platform-session=${key}` }
      assert.strictEqual((yield* api.call("GET", path, { headers: cookie })).status, 401)
    })
  )

  it.effect("is in no list and no feed, cannot be changed or rotated, and is revoked by its id", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { workspaceKey: by } = tenant
      const ids = yield* aRun(tenant)
      const { json } = yield* make(ofRun(ids), { "x-api-key": by })
      const [id, key] = [String(json["id"]), String(json["key"])]
      for (const path of ["/api/v1/auth/api-keys", "/api/v1/activity"]) {
        assert.notInclude((yield* api.call("GET", path, { key: by })).text, id, path)
      }
      const path = `/api/v1/auth/api-keys/${id}`
      assert.strictEqual(
        outcomeOf(yield* api.call("PATCH", path, { key: by, body: { name: "x" } })),
        "422 validation_failed"
      )
      assert.strictEqual(
        outcomeOf(yield* api.call("POST", `${path}/rotate`, { key: by, body: {} })),
        "422 validation_failed"
      )
      assert.strictEqual((yield* api.call("DELETE", path, { key: by })).status, 200)
      assert.strictEqual(
        outcomeOf(yield* api.call("GET", `/api/v1/runs/${ids.run}`, { key })),
        "401 credential_revoked"
      )
    })
  )

  it.effect("may be used 120 times a minute, and no limit of its maker's is used up", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const ids = yield* aRun(tenant)
      const by = yield* api.keyWith(tenant, { scopes: ["runs:read"], rateLimit: { limit: 2, windowSeconds: 86_400 } })
      const key = yield* made(ofRun(ids), by)
      const { headers } = yield* api.call("GET", `/api/v1/runs/${ids.run}`, { key })
      assert.strictEqual(headers.get("ratelimit-policy"), '"api_key";q=120;w=60')
      assert.strictEqual((yield* api.call("GET", `/api/v1/runs/${ids.run}`, { key: by })).status, 200)
      assert.strictEqual((yield* api.call("GET", `/api/v1/runs/${ids.run}`, { key: by })).status, 429)
    })
  )
})

layer(layerOver(layerMemory, { quotas: { temporary_keys: 2, api_keys: 2 } }), { excludeTestServices: true })(
  "browser keys at their quota",
  (it) => {
    it.effect("are refused in this workspace, while other keys are made, and other workspaces make theirs", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [tenant, other] = [yield* api.tenant, yield* api.tenant]
        const [ids, theirs] = [yield* aRun(tenant), yield* aRun(other)]
        for (const path of [ofRun(ids), ofSession(ids)]) yield* made(path, tenant.workspaceKey)
        const refused = yield* make(ofRun(ids), { "x-api-key": tenant.workspaceKey })
        assert.strictEqual(outcomeOf(refused), "409 quota_exceeded")
        const lasting = yield* api.call("POST", "/api/v1/auth/api-keys", {
          key: tenant.workspaceKey,
          body: { name: "CI" }
        })
        assert.strictEqual(lasting.status, 201)
        yield* made(ofRun(theirs), other.workspaceKey)
      })
    )
  }
)

layer(layerWithWorkers, { excludeTestServices: true })("a page with a browser key", (it) => {
  const SLOW = { input: { steps: [{ sleep_ms: 60_000 }] } }
  const [origin = ""] = CORS_ORIGINS

  it.effect("asks whether it may, follows the run from another origin, and goes on where it was cut off", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const ids = yield* aRun(tenant, { message: "Hello" })
      const key = yield* made(ofRun(ids), tenant.workspaceKey)
      const path = `/api/v1/runs/${ids.run}/logs`
      const preflight = yield* api.call("OPTIONS", path, {
        headers: {
          origin,
          "access-control-request-method": "GET",
          "access-control-request-headers": "authorization,last-event-id"
        }
      })
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers.get("access-control-allow-origin"), origin)
      assert.include(preflight.headers.get("access-control-allow-headers"), "Authorization")
      assert.include(preflight.headers.get("access-control-allow-headers"), "Last-Event-ID")
      assert.include(preflight.headers.get("access-control-allow-methods"), "GET")
      const headers = { origin, authorization: `Bearer ${key}` }
      const whole = yield* api.call("GET", path, { headers })
      assert.strictEqual(whole.headers.get("access-control-allow-origin"), origin)
      assert.isNull(whole.headers.get("access-control-allow-credentials"))
      const events = [...whole.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)
      assert.match(whole.text, /^event: run\.succeeded$/m)
      const rest = yield* api.call("GET", path, { headers: { ...headers, "last-event-id": String(events[1]) } })
      assert.deepStrictEqual(
        [...rest.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id),
        events.slice(2)
      )
      const lines = yield* api.call("GET", path, { headers: { ...headers, accept: "application/x-ndjson" } })
      assert.strictEqual(lines.text.trim().split("\n").length, events.length)
    })
  )

  it.effect("is shown no figures of cost, in runs, in lists and in logs of every format", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const spend = {
        steps: [
          { spend: { provider: "openai", model: "gpt-4o", input_tokens: 1_000, output_tokens: 10 } },
          { say: "Done" }
        ]
      }
      const ids = yield* aRun(tenant, { input: spend, max_cost_usd: "9.00" })
      const key = yield* made(ofSession(ids), tenant.workspaceKey)
      const read = yield* api.call("GET", `/api/v1/runs/${ids.run}?wait_seconds=30`, { key })
      assert.deepInclude(read.json, { status: "succeeded", cost_usd: null, usage: null, max_cost_usd: null } as never)
      const theirs = yield* api.call("GET", `/api/v1/runs/${ids.run}`, { key: tenant.workspaceKey })
      assert.isString(theirs.json["cost_usd"])
      const log = (by: string, accept: string) =>
        Effect.map(
          api.call("GET", `/api/v1/runs/${ids.run}/logs`, { key: by, headers: { accept } }),
          ({ text }) => text
        )
      const list = yield* api.call("GET", `/api/v1/runs/?session_id=${ids.session}`, { key })
      const [listed] = list.json["items"] as never as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(listed, { cost_usd: null, usage: null, max_cost_usd: null })
      const shown: Array<string> = []
      for (const accept of ["text/event-stream", "application/json", "application/x-ndjson"]) {
        assert.match(yield* log(tenant.workspaceKey, accept), /"input_tokens":\d/)
        const text = yield* log(key, accept)
        assert.include(text, "llm.request")
        shown.push(text)
      }
      for (const text of shown) {
        assert.notMatch(
          text,
          /"(?:input|output|reasoning|cache_\w+)_tokens"|"key_id"|"key_source"|"request_model"|"provider"|"cost_usd":"/
        )
      }
    })
  )

  it.effect("has its stream ended when the key or the session that made its key ends, and when the key expires", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const inWorkspace = { "x-workspace-id": tenant.workspaceId }
      const ids = yield* aRun(tenant, SLOW)
      const maker = yield* api.call("POST", "/api/v1/auth/api-keys", {
        key: tenant.workspaceKey,
        body: { name: "Backend" }
      })
      const member = yield* aPerson(tenant, "member")
      const path = `/api/v1/runs/${ids.run}`
      const ofPerson = yield* make(ofRun(ids), { ...member.unsafe, ...inWorkspace })
      const forKey = yield* made(ofRun(ids), String(maker.json["key"]))
      const ends = [
        [
          "401 credential_revoked",
          Effect.succeed(forKey),
          api.call("DELETE", `/api/v1/auth/api-keys/${maker.json["id"]}`, { key: tenant.workspaceKey })
        ],
        [
          "401 credential_revoked",
          Effect.succeed(String(ofPerson.json["key"])),
          api.call("POST", "/api/v1/auth/logout", { headers: member.unsafe })
        ],
        ["401 credential_expired", made(ofRun(ids), tenant.workspaceKey, { expires_in_seconds: 5 }), Effect.void]
      ] as const
      for (const [outcome, making, end] of ends) {
        const key = yield* making
        const { next, response } = yield* openStream(`${path}/logs`, { key })
        assert.strictEqual(response.status, 200)
        yield* end
        while ((yield* next) !== undefined);
        assert.strictEqual(outcomeOf(yield* api.call("GET", path, { key })), outcome)
      }
    }).pipe(Effect.scoped)
  )
})
