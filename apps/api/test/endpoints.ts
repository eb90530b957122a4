/** The endpoints of the contract, as tests walk through them. */
import { Access, Api, Formats } from "@agent-platform/contract"
import { NAMED_SCOPES, scopesOfKind } from "@agent-platform/keys"
import { describe, type Vitest } from "@effect/vitest"
import { Context, Effect } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { type Call, type Tenant, TestApi } from "./support.ts"

export interface Endpoint {
  readonly id: string
  readonly method: string
  /** With an unknown id in place of each parameter. */
  readonly path: string
  readonly endpoint: HttpApiEndpoint.Top
  readonly access: Access["Service"] | undefined
  readonly errors: ReadonlyArray<number>
  readonly formats: ReadonlyArray<string>
  readonly hasBody: boolean
}

export const UNKNOWN_ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

export const endpoints: Array<Endpoint> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group }) => {
    endpoints.push({
      id: `${group.identifier}.${endpoint.identifier}`,
      method: endpoint.method,
      path: endpoint.path.replaceAll(/:\w+/g, UNKNOWN_ID),
      endpoint,
      access: Context.getOrUndefined(endpoint.annotations, Access),
      errors: [...errors.keys()],
      formats: Context.getOrUndefined(endpoint.annotations, Formats) ?? ["application/json"],
      hasBody: endpoint.payload.size > 0
    })
  }
})

/** Whether an endpoint takes no workspace key. */
export const concernsOrganization = ({ access }: Endpoint): boolean =>
  access?.reach === "organization" || access?.reach === "organization_key"

export const keyFor = (tenant: Tenant, endpoint: Endpoint): string =>
  concernsOrganization(endpoint) ? tenant.orgKey : tenant.workspaceKey

/** A key with every scope of its kind, those included that must be named. */
export const wholeKey = (api: TestApi["Service"], tenant: Tenant, organization: boolean) =>
  api.keyWith(tenant, {
    organization,
    scopes: [...scopesOfKind(organization ? "organization" : "workspace"), ...NAMED_SCOPES]
  })

/** Bodies that can be read, where an empty one cannot and would be answered before the path is looked at. */
const BODIES: Readonly<Record<string, unknown>> = {
  "byok.registerProviderKey": { key: "sk-nobodys" },
  "sessions.replyToSession": { message: "Hello" },
  "webhooks.startReplay": { since: "2025-01-21T05:15:00Z" }
}

export const bodyFor = (endpoint: Endpoint): Call => (endpoint.hasBody ? { body: BODIES[endpoint.id] ?? {} } : {})

/** Whether its answer comes to an end. */
export const ends = ({ formats }: Endpoint): boolean => formats.some((format) => format !== "text/event-stream")

/** Every endpoint there is. */
export const all = () => true

/** Those that ask who is calling, by a key or a session; `gateway.test.ts` asks those that take the token of an attempt. */
export const authenticated = ({ access }: Endpoint): boolean =>
  access?.reach !== "public" && access?.reach !== "attempt"

/** Those that a key of the right kind can call. */
export const takesKeys = ({ access }: Endpoint): boolean => access?.reach !== "session" && access?.reach !== "attempt"

/** Those of them that take a body. Every body is read in one place, also that of a session. */
export const takesKeyedBody = (endpoint: Endpoint): boolean => endpoint.hasBody && takesKeys(endpoint)

/** Those that say which query parameters they know; an identity provider sends what it likes. */
export const hasKnownQuery = ({ id }: Endpoint): boolean => id !== "login.completeLogin"

/** Declares a test of that title for each endpoint that `only` lets through, each with a tenant of its own. */
export const makeEach =
  (it: Vitest.MethodsNonLive<TestApi>) =>
  (
    title: string,
    only: (endpoint: Endpoint) => boolean,
    test: (endpoint: Endpoint, api: TestApi["Service"], tenant: Tenant) => Effect.Effect<void>
  ) =>
    describe(title, () => {
      for (const endpoint of endpoints.filter(only)) {
        it.effect(endpoint.id, () =>
          Effect.gen(function* () {
            const api = yield* TestApi
            yield* test(endpoint, api, yield* api.tenant)
          })
        )
      }
    })
