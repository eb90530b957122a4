/** The addresses of the link of `npm start`. Without a link there are none. */
import type { Keys } from "@agent-platform/keys"
import { Effect, type Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiSettings } from "../ApiSettings.ts"
import { clientAddressOf } from "../clientAddress.ts"
import { credentialOf } from "../credentials.ts"
import type { Draining } from "../Draining.ts"
import { CurrentRequest } from "../edge/CurrentRequest.ts"
import { problemResponse } from "../edge/problemResponse.ts"
import { notFound } from "../edge/problems.ts"
import { readBody } from "../edge/readBody.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { makeRateLimit } from "../rateLimits.ts"
import { makeRecogniseKey } from "../recogniseKey.ts"
import { makeStreams } from "../streams.ts"
import { makeExchange } from "./exchange.ts"
import { listenerUrlOf, startListener } from "./listener.ts"
import { isListenerOf, isLoopback, StartLink } from "./StartLink.ts"

const EXCHANGE = "/start-link"
const LISTENER = "/start-link/listener"
const RECEIVED = "/start-link/received/:token"

/** The addresses by method, as the edge needs them. */
export const startLinkPaths = Effect.map(StartLink, (link) =>
  link === null ? { gets: [], posts: [] } : { gets: [LISTENER, RECEIVED], posts: [EXCHANGE, RECEIVED] }
)

const EXCHANGE_BYTES_MAX = 1024

const codeIn = (body: ArrayBuffer): string => {
  try {
    const { code }: { readonly code?: unknown } = JSON.parse(new TextDecoder().decode(body)) ?? {}
    return typeof code === "string" ? code : ""
  } catch {
    return ""
  }
}

/** A request of this machine that no proxy has passed on. */
const isOfThisMachine = (request: HttpServerRequest.HttpServerRequest): boolean =>
  isLoopback(clientAddressOf(request) ?? "") &&
  request.headers["x-forwarded-for"] === undefined &&
  request.headers["forwarded"] === undefined

const makeRoutes = Effect.fnUntraced(function* (
  router: HttpRouter.HttpRouter,
  link: NonNullable<(typeof StartLink)["Service"]>
) {
  const { baseUrl } = yield* ApiSettings
  const { host, origin } = new URL(baseUrl)
  const { openFor } = yield* LongAnswers
  const streams = yield* makeStreams
  const exchange = yield* makeExchange
  const recogniseKey = yield* makeRecogniseKey
  const { limitCaller } = yield* makeRateLimit
  const { received, refuseNext } = yield* startListener(link)
  const listenerAddresses = {
    listener_url: listenerUrlOf(link),
    received_url: RECEIVED.replace(":token", link.listenerToken)
  }
  // The same answer whatever is wrong, so that it gives nothing away.
  const notFoundAnswer = Effect.map(CurrentRequest, (info) => problemResponse(notFound(), info))

  /** Serves requests of this machine at an address. */
  const serve = <R>(
    method: "GET" | "POST",
    path: `/${string}`,
    answer: (
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Parameters<typeof problemResponse>[0], R>
  ) =>
    router.add(
      method,
      path,
      HttpServerRequest.HttpServerRequest.use((request) =>
        isOfThisMachine(request) ? answer(request) : notFoundAnswer
      ).pipe(Effect.catch((problem) => Effect.map(CurrentRequest, (info) => problemResponse(problem, info))))
    )

  /**
   * Whether the dashboard sent the request. A page of another site can send requests to this machine as well, but with another Origin,
   * or with another Host where its own name leads here (DNS rebinding).
   */
  const isOwnPage = ({ headers }: HttpServerRequest.HttpServerRequest) =>
    headers["host"] === host && headers["origin"] === origin

  const namesToken = Effect.map(HttpRouter.params, (params) => isListenerOf(link, params["token"] ?? ""))

  const unstored = (answer: unknown) =>
    HttpServerResponse.setHeader(HttpServerResponse.jsonUnsafe(answer), "cache-control", "no-store")

  yield* serve(
    "POST",
    EXCHANGE,
    Effect.fnUntraced(function* (request) {
      if (!isOwnPage(request)) return yield* notFoundAnswer
      const keys = yield* exchange(link, codeIn(yield* readBody(request, EXCHANGE_BYTES_MAX)))
      if (keys === undefined) return yield* notFoundAnswer
      return unstored({
        org_key: keys.orgKey,
        workspace_key: keys.workspaceKey,
        workspace_id: link.workspaceId,
        credentials_file: link.credentialsFile,
        ...listenerAddresses
      })
    })
  )

  // For a person who has pasted a key instead of opening the link. A key that manages endpoints sees their addresses anyway.
  yield* serve(
    "GET",
    LISTENER,
    Effect.fnUntraced(function* (request) {
      if (request.headers["host"] !== host) return yield* notFoundAnswer
      const { type, value } = yield* credentialOf(request)
      if (type !== "api_key") return yield* notFoundAnswer
      const caller = yield* recogniseKey(value, undefined, clientAddressOf(request))
      yield* limitCaller(caller)
      if (caller.organizationId !== link.organizationId || !caller.scopes.includes("webhooks:write"))
        return yield* notFoundAnswer
      return unstored(listenerAddresses)
    })
  )

  yield* serve(
    "GET",
    RECEIVED,
    Effect.fnUntraced(function* (request) {
      if (!(yield* namesToken)) return yield* notFoundAnswer
      yield* openFor({ ...link, credential: { id: link.listenerToken } })
      return streams.events(request, received, Effect.never)
    })
  )

  yield* serve(
    "POST",
    RECEIVED,
    Effect.fnUntraced(function* (request) {
      if (!(yield* namesToken) || !isOwnPage(request)) return yield* notFoundAnswer
      refuseNext()
      return HttpServerResponse.empty()
    })
  )
})

/** Serves the exchange of the link's code and its listener, where there is a link. */
export const layerStartLink: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | ApiSettings | LongAnswers | Draining | Keys
> = HttpRouter.use((router) =>
  Effect.flatMap(StartLink, (link) => (link === null ? Effect.void : makeRoutes(router, link)))
)
