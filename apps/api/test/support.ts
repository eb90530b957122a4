/** The API over memory, listening on loopback, and a caller for it. */

import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as billingMemory from "@agent-platform/billing/memory"
import * as feedsMemory from "@agent-platform/feeds/memory"
import type { Actor } from "@agent-platform/kernel"
import { DEFAULT_QUOTAS, type QuotaLimits, Quotas } from "@agent-platform/kernel"
import * as kernelMemory from "@agent-platform/kernel/memory"
import {
  IdentityProvider,
  Keys,
  NAMED_SCOPES,
  PlatformKeys,
  type RateLimit,
  type Scope,
  scopesOfKind,
  Tenancy
} from "@agent-platform/keys"
import * as keysMemory from "@agent-platform/keys/memory"
import { chatDescription, Gateway, GenaiPriceBook } from "@agent-platform/models"
import { layerSpendGuard, Platform } from "@agent-platform/platform"
import { layerCrypto } from "@agent-platform/process"
import * as runsMemory from "@agent-platform/runs/memory"
import * as webhooksMemory from "@agent-platform/webhooks/memory"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, type DateTime, Effect, Layer, Logger, Redacted } from "effect"
import { HttpServer } from "effect/http"
import type { IpNetwork } from "effect/net"
import { type Dispatcher, request } from "undici"
import { ApiSettings } from "../src/ApiSettings.ts"
import type { StreamLimits } from "../src/LongAnswers.ts"
import { layerApi } from "../src/layerApi.ts"
import { makeNodeServer } from "../src/nodeServer.ts"
import { type Readiness, ReadinessProbe } from "../src/Readiness.ts"

/** Where the service says that it is; the address it really has is another. */
export const BASE_URL = "https://agents.test"

/** Where people work with it. */
export const DASHBOARD_URL = "https://dashboard.test"

const actor: Actor = { type: "user", id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77", label: "Founder" }

/** An organization with a workspace and a key for each. */
export interface Tenant {
  readonly organizationId: string
  readonly workspaceId: string
  readonly orgKey: string
  readonly workspaceKey: string
}

/** The parts of a request beside method and path. */
export interface Call {
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, instead. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text as JSON; undefined when it is none. */
  readonly json: Json
}

/** JSON, to be looked into without further ado. */
export interface Json {
  readonly [name: string]: Json
  readonly [index: number]: Json
}

const parse = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined as never
  }
}

const decode = (bytes: Buffer, coding: string | null) => {
  // The answer to HEAD has the coding and no bytes.
  if (bytes.length === 0) return bytes
  return coding === "br" ? brotliDecompressSync(bytes) : coding === "gzip" ? gunzipSync(bytes) : bytes
}

/** The running API and its makings. */
export class TestApi extends Context.Service<
  TestApi,
  {
    readonly url: string
    readonly port: number
    /** For answers that are read as they come. */
    readonly fetch: (method: string, path: string, call?: Call) => Effect.Effect<Response>
    /** For all others: by a client that costs much less than `fetch`, which took a seventh of the time of all these tests. */
    readonly call: (method: string, path: string, call?: Call) => Effect.Effect<Answer>
    readonly tenant: Effect.Effect<Tenant>
    /** A key of the tenant with just these scopes. */
    readonly keyWith: (
      tenant: Tenant,
      options: {
        readonly scopes?: ReadonlyArray<Scope>
        readonly expiresAt?: DateTime.Utc
        readonly organization?: boolean
        readonly allowedIps?: ReadonlyArray<string>
        readonly rateLimit?: RateLimit
      }
    ) => Effect.Effect<string>
  }
>()("TestApi") {}

const make = Effect.gen(function* () {
  const keys = yield* Keys
  const tenancy = yield* Tenancy
  const server = yield* HttpServer.HttpServer
  const port = "port" in server.address ? server.address.port : 0
  const url = `http://127.0.0.1:${port}`

  const requestOf = ({ body, headers, key, raw }: Call) => ({
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined && raw === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(raw !== undefined ? { body: raw } : body === undefined ? {} : { body: JSON.stringify(body) })
  })

  const fetchFrom = (method: string, path: string, call: Call = {}) =>
    Effect.promise((signal) => fetch(`${url}${path}`, { method, signal, redirect: "manual", ...requestOf(call) }))

  const createKey = (
    owner: { readonly organizationId: string; readonly workspaceId: string | null },
    scopes: ReadonlyArray<Scope>,
    expiresAt: DateTime.Utc | undefined,
    allowedIps: ReadonlyArray<string> = [],
    rateLimit: RateLimit | null = null
  ) =>
    keys
      .createApiKey({
        owner: owner as Parameters<typeof keys.createApiKey>[0]["owner"],
        creator: {
          actor,
          scopes: [...scopesOfKind("organization"), ...NAMED_SCOPES],
          key: null,
          session: null,
          role: null
        },
        name: "Key",
        scopes,
        expiresAt,
        allowedIps,
        rateLimit,
        metadata: {},
        idempotency: undefined
      })
      .pipe(
        Effect.map(({ value }) => (value.value === null ? "" : Redacted.value(value.value))),
        Effect.orDie
      )

  return TestApi.of({
    url,
    port,
    fetch: fetchFrom,
    call: (method, path, call) =>
      Effect.gen(function* () {
        const { body = null, headers } = requestOf(call ?? {})
        const answer = yield* Effect.promise((signal) =>
          request(`${url}${path}`, {
            method: method as Dispatcher.HttpMethod,
            signal,
            headers: { accept: "*/*", ...headers },
            body
          })
        )
        const bytes = Buffer.from(yield* Effect.promise(() => answer.body.arrayBuffer()))
        const given = new Headers(
          Object.entries(answer.headers).flatMap(([name, value = []]) =>
            [value].flat().map((one): [string, string] => [name, one])
          )
        )
        const text = decode(bytes, given.get("content-encoding")).toString()
        return { status: answer.statusCode, headers: given, text, json: parse(text) }
      }),
    tenant: Effect.gen(function* () {
      const { organization, workspace } = yield* Effect.orDie(
        tenancy.foundOrganization({ name: "Acme", workspaceName: "Main", timezone: "UTC" })
      )
      const ids = { organizationId: organization.id, workspaceId: workspace.id }
      return {
        ...ids,
        orgKey: yield* createKey({ ...ids, workspaceId: null }, scopesOfKind("organization"), undefined),
        workspaceKey: yield* createKey(ids, scopesOfKind("workspace"), undefined)
      }
    }),
    keyWith: (tenant, { allowedIps, expiresAt, organization = false, rateLimit, scopes }) =>
      createKey(
        { ...tenant, workspaceId: organization ? null : tenant.workspaceId },
        scopes ?? scopesOfKind(organization ? "organization" : "workspace"),
        expiresAt,
        allowedIps,
        rateLimit
      )
  })
})

/**
 * Model providers that take every key, unless a test sets them otherwise, and none of the platform's own; and what their
 * models cost.
 */
export const layerProviders = Layer.mergeAll(
  keysMemory.layerProviderProbe,
  PlatformKeys.layer({}),
  GenaiPriceBook.layer
)

/** Every store in memory, over a database that is given. */
export const layerStores = Layer.mergeAll(
  keysMemory.layer,
  layerProviders,
  runsMemory.layer,
  webhooksMemory.layer,
  feedsMemory.layer,
  billingMemory.layer
)

/** The kernel over memory, with the cryptography of the apps. */
export const layerKernel = Layer.merge(kernelMemory.layer, layerCrypto)

/** Every port in memory. */
export const layerMemory = Layer.provideMerge(layerStores, layerKernel)

const NOWHERE = "https://providers.invalid"
const NO_PROVIDERS = { openai: NOWHERE, anthropic: NOWHERE, google: NOWHERE, googleToken: NOWHERE }

/** The parts of a deployment that a test may replace. */
export interface TestOptions {
  readonly readiness?: Effect.Effect<Readiness>
  readonly trustedProxies?: ReadonlyArray<IpNetwork.IpNetwork>
  readonly workspaceRateLimit?: RateLimit
  readonly quotas?: Partial<QuotaLimits>
  /** How the recipe `demo` plays; in full unless given. */
  readonly demo?: "off" | "safe" | "full"
  readonly streams?: StreamLimits
  /** How long the server goes on after it was asked to stop; not at all unless given. */
  readonly drainSeconds?: number
  /** Where people come from; from nowhere unless given. */
  readonly identity?: Layer.Layer<IdentityProvider>
  /** Where model providers are; nowhere unless given. */
  readonly providerUrls?: typeof NO_PROVIDERS
  /** Where lines of the log go; nowhere unless given. */
  readonly logger?: Layer.Layer<never>
}

/** The origins whose pages may call with keys. */
export const CORS_ORIGINS = ["https://app.example.com", "http://localhost:5173"]

/** The API over given ports, on a free port of loopback. The ports and the services are there for the test, too. */
export const layerOver = <A, E>(
  ports: Layer.Layer<A | Exclude<Platform.ServicePorts, IdentityProvider>, E>,
  {
    demo = "full",
    drainSeconds = 0,
    identity = IdentityProvider.layerNone,
    logger = Logger.layer([]),
    providerUrls = NO_PROVIDERS,
    quotas,
    readiness = Effect.succeed("ready"),
    streams = { perCredential: 200, perWorkspace: 1_000, perProcess: 10_000 },
    trustedProxies = [],
    workspaceRateLimit
  }: TestOptions = {}
) => {
  const services = Gateway.layer({ urls: providerUrls }).pipe(
    Layer.provide(layerSpendGuard),
    Layer.provideMerge(Platform.layer({ recipes: [chatDescription], demo })),
    Layer.provideMerge(Layer.merge(ports, identity)),
    Layer.provide(Layer.succeed(Quotas, { ...DEFAULT_QUOTAS, ...quotas }))
  )
  const server = NodeHttpServer.layer(makeNodeServer(BASE_URL), {
    port: 0,
    host: "127.0.0.1",
    gracefulShutdownTimeout: "3 seconds"
  })
  return Layer.effect(TestApi, make).pipe(
    Layer.provideMerge(layerApi),
    Layer.provideMerge(server),
    Layer.provideMerge(services),
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(ApiSettings, {
          baseUrl: BASE_URL,
          dashboardUrl: DASHBOARD_URL,
          corsOrigins: CORS_ORIGINS,
          trustedProxies,
          workspaceRateLimit: workspaceRateLimit ?? null,
          streams,
          drainSeconds,
          cursorKey: Redacted.make("a key for tests")
        }),
        Layer.succeed(ReadinessProbe, { check: readiness })
      )
    ),
    Layer.provide(logger)
  )
}

/** The API over memory. Nothing executes runs or sends webhooks. */
export const layer = layerOver(layerMemory)

/** The API over memory together with workers that execute runs and send webhooks. */
export const layerWithWorkers = Platform.layerWorkers({ demo: "full", runs: { drainSeconds: 0 } }).pipe(
  Layer.provideMerge(layer),
  Layer.provide(Logger.layer([]))
)

/** An agent of the tenant's workspace that plays scripts. */
export const anAgent = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const created = yield* api.call("POST", "/api/v1/agents", { key: tenant.workspaceKey, body: { name: "Greeter" } })
  return String(created.json["agent_id"])
})
