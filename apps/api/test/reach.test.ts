/** Every endpoint with every kind of caller, at home and abroad. Spec: What the service does; API keys 4; OAuth. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authenticated, type Endpoint, endpoints, UNKNOWN_ID } from "./endpoints.ts"
import { aPerson, type PersonSession } from "./people.ts"
import { type Fixture, KINDS, type Kind, REACH, type Row } from "./reach.ts"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

/** A caller of some kind, and the headers it sends in its workspace. */
interface Walker {
  readonly kind: Kind
  readonly headers: Readonly<Record<string, string>>
  readonly person: PersonSession | undefined
}

const walkerIn = Effect.fnUntraced(function* (tenant: Tenant, kind: Kind) {
  const inWorkspace = { "x-workspace-id": tenant.workspaceId }
  if (kind === "workspace key" || kind === "organization key") {
    const key = kind === "workspace key" ? tenant.workspaceKey : tenant.orgKey
    const walker: Walker = { kind, headers: { ...inWorkspace, "x-api-key": key }, person: undefined }
    return walker
  }
  const person = yield* aPerson(tenant, kind)
  const walker: Walker = { kind, headers: { ...inWorkspace, ...person.unsafe }, person }
  return walker
})

/** Another workspace of the same organization. */
const siblingOf = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const { json } = yield* api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name: "Sibling" } })
  const workspaceId = String(json["id"])
  const sibling: Tenant = { ...tenant, workspaceId, workspaceKey: yield* api.keyWith({ ...tenant, workspaceId }, {}) }
  return sibling
})

/** A tenant with a caller of each kind, for all requests that are refused: making them anew takes longer than the requests. */
const settled = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const home = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      return { home, walkers: yield* Effect.forEach(KINDS, (kind) => walkerIn(home, kind)) }
    })
  )
)

/** The answer without what differs between any two requests. */
const comparable = (text: string) =>
  text
    .replace(/"request_id":"[^"]+"/, "")
    .replace(/"instance":"[^"]+"/, "")
    .replace(/\/[a-z_]+(?:\/\d+\/[a-z_]+)? must/, "")

const first = (path: string, id: string) => path.replace(UNKNOWN_ID, id)

layer(layerApi, { excludeTestServices: true })("who reaches what", (it) => {
  const send = (endpoint: Endpoint, row: Row, id: string, headers: Readonly<Record<string, string>>) =>
    TestApi.use((api) => {
      const body = row.bodyNaming?.(id) ?? row.body
      const path = row.about === undefined ? endpoint.path : first(endpoint.path, id)
      // The log of a run that nobody executes would be followed for ever.
      const asked = { accept: "application/json", ...row.headers, ...headers }
      return api.call(endpoint.method, provider(endpoint, path), {
        headers: asked,
        ...(body === undefined ? {} : { body })
      })
    })

  it.effect("has a row for every endpoint, and none for another", () =>
    Effect.sync(() => {
      const walked = endpoints.filter(authenticated).map(({ id }) => id)
      assert.sameMembers(Object.keys(REACH), walked)
    })
  )

  for (const endpoint of endpoints.filter(authenticated)) {
    const row = REACH[endpoint.id]
    if (row === undefined) continue
    const fixture: Fixture | undefined = row.about ?? row.names
    const make = (tenant: Tenant, person: PersonSession | undefined) =>
      fixture === undefined ? Effect.succeed(UNKNOWN_ID) : fixture(tenant, person)

    it.effect(`${endpoint.id} serves those of its row at home and forbids the others`, () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        for (const kind of KINDS) {
          const tenant = yield* api.tenant
          const walker = yield* walkerIn(tenant, kind)
          const answer = yield* send(endpoint, row, yield* make(tenant, walker.person), walker.headers)
          if (!row.who.includes(kind)) assert.strictEqual(answer.status, 403, `${kind}: ${answer.text}`)
          else if (row.own !== undefined) assert.strictEqual(answer.status, row.own, `${kind}: ${answer.text}`)
          else assert.match(String(answer.status), /^2/, `${kind}: ${answer.text}`)
        }
      })
    )

    it.effect(`${endpoint.id} answers the same 404 to every kind of caller in a workspace of strangers`, () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [{ walkers }, strangers] = [yield* settled, yield* api.tenant]
        const id = yield* make(strangers, undefined)
        for (const { headers, kind } of walkers) {
          const abroad = { ...headers, "x-workspace-id": strangers.workspaceId }
          assert.strictEqual((yield* send(endpoint, row, id, abroad)).status, 404, kind)
        }
      })
    )

    if (fixture === undefined) continue

    it.effect(`${endpoint.id} answers what is foreign as it answers what does not exist`, () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [{ home, walkers }, strangers] = [yield* settled, yield* api.tenant]
        const sibling = yield* siblingOf(home)
        const stranger = yield* aPerson(strangers, "owner")
        const foreign = [
          yield* make(strangers, stranger),
          ...(row.ofWorkspace === true ? [yield* make(sibling, undefined)] : [])
        ]
        for (const { headers, kind } of walkers) {
          const answers = yield* Effect.forEach([UNKNOWN_ID, ...foreign], (id) => send(endpoint, row, id, headers))
          const expected = row.who.includes(kind) ? 404 : 403
          for (const { status, text } of answers) assert.strictEqual(status, expected, `${kind}: ${text}`)
          assert.strictEqual(new Set(answers.map(({ text }) => comparable(text))).size, 1, kind)
        }
      })
    )
  }
})

/** The two addresses under /byok that share a template: the first place of one is a provider's name. */
const provider = (endpoint: Endpoint, path: string): string =>
  endpoint.id === "byok.registerProviderKey" ? first(path, "openai") : path
