/** Serves addresses outside the contract: health, the OpenAPI document, pages about problems. Spec: Operations. */
import { Api } from "@agent-platform/contract"
import { Effect, type Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { ApiSettings } from "../ApiSettings.ts"
import { Draining } from "../Draining.ts"
import { CurrentRequest } from "../edge/CurrentRequest.ts"
import { problemResponse } from "../edge/problemResponse.ts"
import { notFound, unavailable } from "../edge/problems.ts"
import { type Readiness, ReadinessProbe } from "../Readiness.ts"
import { makeDocument } from "./documents.ts"
import { RECORD_KEYS_PATH } from "./layerKeys.ts"
import { problemIndexPage, problemPage } from "./problemPages.ts"

const REASONS: Record<Exclude<Readiness, "ready">, string> = {
  database_unreachable: "The database does not answer",
  database_read_only: "The database takes no writes",
  database_pooled: "The database is reached through a pooler that does not keep sessions",
  migrations_pending: "The database's schema is older than this server"
}

/** Browsers and proxies may cache responses that change with a release only. */
const CACHED = { "cache-control": "public, max-age=300" }

const page = (html: string) =>
  HttpServerResponse.html(html).pipe(
    HttpServerResponse.setHeaders({
      ...CACHED,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    })
  )

const readyz = (probe: ReadinessProbe["Service"], draining: Draining["Service"]) =>
  Effect.gen(function* () {
    if (draining.isAnnounced())
      return problemResponse(unavailable("This server is being stopped"), yield* CurrentRequest)
    const readiness = yield* probe.check
    return readiness === "ready"
      ? HttpServerResponse.jsonUnsafe({ status: "ready" })
      : problemResponse(unavailable(REASONS[readiness]), yield* CurrentRequest)
  })

const problem = Effect.gen(function* () {
  const { code = "" } = yield* HttpRouter.params
  const html = problemPage(code)
  return html === undefined ? problemResponse(notFound(), yield* CurrentRequest) : page(html)
})

/** The OpenAPI document. It is made on the first request, since making it would more than double the time of a start. */
const makeOpenApi = (baseUrl: string) =>
  Effect.suspend(() =>
    makeDocument({
      // Fresh options, since the generated document is cached for as long as its options live, and only its text is needed.
      bytes: new TextEncoder().encode(JSON.stringify({ ...OpenApi.fromApi(Api, {}), servers: [{ url: baseUrl }] })),
      contentType: "application/json",
      headers: CACHED
    })
  )

/** The paths outside the contract, for distinguishing a wrong method from an unknown address. */
export const SYSTEM_PATHS = [
  "/healthz",
  "/readyz",
  "/openapi.json",
  "/docs",
  "/docs/:file",
  "/problems",
  "/problems/:code",
  RECORD_KEYS_PATH
]

/** Serves these paths except `/docs` and the keys. Callers need no credential. */
export const layerSystem: Layer.Layer<never, never, HttpRouter.HttpRouter | ReadinessProbe | Draining | ApiSettings> =
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const probe = yield* ReadinessProbe
      const draining = yield* Draining
      const { baseUrl } = yield* ApiSettings
      const document = yield* Effect.cached(Effect.uninterruptible(makeOpenApi(baseUrl)))
      yield* router.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" }))
      yield* router.add("GET", "/readyz", readyz(probe, draining))
      yield* router.add("GET", "/openapi.json", Effect.flatten(document))
      yield* router.add("GET", "/problems", page(problemIndexPage))
      yield* router.add("GET", "/problems/:code", problem)
    })
  )
