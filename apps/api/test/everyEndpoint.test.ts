/** Who may call: the same for every endpoint of the contract, new ones included. */
import { JsonBody } from "@agent-platform/contract"
import { WORKSPACE_SCOPES } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { OpenApi } from "effect/http-api"
import {
  all,
  authenticated,
  bodyFor,
  concernsOrganization,
  type Endpoint,
  keyFor,
  makeEach,
  takesKeys,
  UNKNOWN_ID,
  wholeKey
} from "./endpoints.ts"
import { layer as layerApi } from "./support.ts"

/** The answer to an unknown id. Where the signature of an agent is the credential, none has signed for what there is not. */
const unknownStatus = ({ path }: Endpoint): number => (path.endsWith(`/runs/${UNKNOWN_ID}/callback`) ? 401 : 404)

layer(layerApi, { excludeTestServices: true })("every endpoint", (it) => {
  const each = makeEach(it)

  each("says who may call it, what it does, and which problems it answers", all, (endpoint) =>
    Effect.sync(() => {
      assert.isDefined(endpoint.access)
      assert.isDefined(Context.getOrUndefined(endpoint.endpoint.annotations, OpenApi.Description))
      assert.isDefined(Context.getOrUndefined(endpoint.endpoint.annotations, OpenApi.Summary))
      const shared = [400, 406, 500, 503]
      const namesOne = endpoint.endpoint.params === undefined ? [] : [404]
      for (const status of authenticated(endpoint) ? [...shared, 401, 403, 404, 422, 429] : [...shared, ...namesOne]) {
        assert.include(endpoint.errors, status)
      }
      assert.strictEqual(endpoint.endpoint.middlewares.has(JsonBody), endpoint.hasBody)
    })
  )

  each("answers 401 without a credential and says how to authenticate", authenticated, (endpoint, api) =>
    Effect.gen(function* () {
      const answer = yield* api.call(endpoint.method, endpoint.path, bodyFor(endpoint))
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(String(answer.json["code"]), "missing_credential")
      assert.strictEqual(answer.headers.get("www-authenticate"), 'Bearer realm="agent-platform"')
    })
  )

  each(
    "answers 403 to a key that lacks its scope",
    ({ access }) => access?.scope != null,
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const organization = concernsOrganization(endpoint)
        const scopes = WORKSPACE_SCOPES.filter((scope) => scope !== endpoint.access?.scope)
        const key = yield* api.keyWith(tenant, { organization, scopes })
        const answer = yield* api.call(endpoint.method, endpoint.path, { key, ...bodyFor(endpoint) })
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(String(answer.json["code"]), "insufficient_scope")
      })
  )

  each(
    "answers 403 to a workspace key where it concerns the organization",
    concernsOrganization,
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const answer = yield* api.call(endpoint.method, endpoint.path, {
          key: tenant.workspaceKey,
          ...bodyFor(endpoint)
        })
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(String(answer.json["code"]), "org_key_required")
      })
  )

  each(
    "answers 400 to an organization key that names no workspace where it needs one",
    ({ access }) => access?.reach === "workspace",
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const key = yield* wholeKey(api, tenant, true)
        for (const headers of [{}, { "x-workspace-id": "" }]) {
          const answer = yield* api.call(endpoint.method, endpoint.path, {
            key,
            headers,
            ...bodyFor(endpoint)
          })
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(String(answer.json["code"]), "workspace_required")
        }
      })
  )

  each(
    "answers 404 to a workspace that the key does not reach, be it unknown, malformed or foreign",
    authenticated,
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const stranger = yield* api.tenant
        for (const workspace of [UNKNOWN_ID, "nonsense", stranger.workspaceId]) {
          const answer = yield* api.call(endpoint.method, endpoint.path, {
            key: keyFor(tenant, endpoint),
            headers: { "x-workspace-id": workspace },
            ...bodyFor(endpoint)
          })
          assert.strictEqual(answer.status, 404)
        }
      })
  )

  each(
    "answers 404 to unknown and to malformed ids",
    (endpoint) => endpoint.path.includes(UNKNOWN_ID) && takesKeys(endpoint),
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const key = yield* wholeKey(api, tenant, keyFor(tenant, endpoint) === tenant.orgKey)
        for (const id of [UNKNOWN_ID, "nonsense", UNKNOWN_ID.toUpperCase(), "a".repeat(300), "%00"]) {
          const path = endpoint.path.replaceAll(UNKNOWN_ID, id)
          const answer = yield* api.call(endpoint.method, path, { key, ...bodyFor(endpoint) })
          assert.strictEqual(answer.status, unknownStatus(endpoint), path)
        }
      })
  )
})
