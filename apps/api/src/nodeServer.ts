/** Node's HTTP server with the limits of the API, and with problems as responses to malformed requests. */

import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { BadRequest, ContentTooLarge, HeadersTooLarge, type Problem, RequestTimeout } from "@agent-platform/contract"
import { problemBody } from "./edge/problemResponse.ts"
import { unavailable } from "./edge/problems.ts"
import { requestIdOf } from "./edge/requestId.ts"
import { securityHeaders } from "./edge/securityHeaders.ts"

/** Most bytes of an address and headers together. */
export const HEADER_BYTES_MAX = 16 * 1024

/** How long headers, and a request as a whole, may take to arrive. Bodies have a tighter limit of their own. */
const HEADERS_MILLIS_MAX = 15_000
const REQUEST_MILLIS_MAX = 60_000

/** How long an idle connection is kept. This is longer than proxies keep theirs, so that the proxy closes first. */
const KEEP_ALIVE_MILLIS = 65_000

const problemOf = (code: string | undefined): Problem => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HeadersTooLarge({
        code: "headers_too_large",
        detail: `The address and the headers together are larger than ${HEADER_BYTES_MAX} bytes`
      })
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ContentTooLarge({ code: "body_too_large", detail: "The body's chunk extensions are too large" })
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestTimeout({ code: "request_timeout", detail: "The request did not arrive in time" })
    default:
      return new BadRequest({ code: "malformed_request", detail: "The request is not well-formed HTTP/1.1" })
  }
}

/** The body and headers of a problem outside of the edge, after which the connection is closed. */
const refusal = (problem: Problem, requestId: string, baseUrl: string) => {
  const body = JSON.stringify(problemBody(problem, { requestId, instance: "/", baseUrl }))
  return {
    body,
    headers: {
      ...securityHeaders(baseUrl),
      "content-type": "application/problem+json",
      "content-length": String(Buffer.byteLength(body)),
      "x-request-id": requestId,
      connection: "close"
    }
  }
}

/** Responds to bytes that Node could not read as a request, and closes the connection. */
const refuse =
  (baseUrl: string) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    const problem = problemOf(error.code)
    const { body, headers } = refusal(problem, requestIdOf(undefined), baseUrl)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n${body}`)
  }

/** Responds to an unknown expectation, since Node's own response would have no body. RFC 9110, 10.1.1. */
const refuseExpectation =
  (baseUrl: string) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const problem = new BadRequest({
      code: "malformed_request",
      detail: "The header Expect can say 100-continue and nothing else"
    })
    const given = request.headers["x-request-id"]
    const requestId = requestIdOf(typeof given === "string" ? given : undefined)
    const { body, headers } = refusal(problem, requestId, baseUrl)
    response.writeHead(problem.status, headers).end(body)
  }

/**
 * Takes requests for which the server has no listener, which Node would drop silently. Node accepts requests before the API is
 * built; these wait for it, since a proxy that uses no probe would pass a 503 on. Once the API has stopped, requests get a 503.
 */
const takeUnheard = (server: Server, baseUrl: string): void => {
  const waiting: Array<readonly [IncomingMessage, ServerResponse]> = []
  const wait = (...heard: readonly [IncomingMessage, ServerResponse]): void => {
    waiting.push(heard)
  }
  const refuseLate = (request: IncomingMessage, response: ServerResponse): void => {
    const given = request.headers["x-request-id"]
    const requestId = requestIdOf(typeof given === "string" ? given : undefined)
    const { body, headers } = refusal(unavailable(), requestId, baseUrl)
    response.writeHead(503, { ...headers, "retry-after": "1" }).end(body)
  }
  const ours: ReadonlySet<unknown> = new Set([wait, refuseLate])
  server.on("request", wait)
  server.on("newListener", (event, listener) => {
    if (event !== "request" || ours.has(listener)) return
    server.off("request", wait).off("request", refuseLate)
    // The listener is added only after this event.
    queueMicrotask(() => {
      for (const [request, response] of waiting.splice(0)) {
        if (!request.socket.destroyed) server.emit("request", request, response)
      }
    })
  })
  server.on("removeListener", (event, listener) => {
    if (event === "request" && !ours.has(listener) && server.listenerCount("request") === 0)
      server.on("request", refuseLate)
  })
}

/** A server that does not listen yet. */
export const makeNodeServer = (baseUrl: string) => (): Server => {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_MILLIS_MAX,
    requestTimeout: REQUEST_MILLIS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    connectionsCheckingInterval: 1_000,
    // The edge refuses requests without it, with a problem as the body.
    requireHostHeader: false,
    // The API speaks no other protocol, and an upgraded connection would have none of the timeouts above.
    shouldUpgradeCallback: () => false
  })
  server.on("clientError", refuse(baseUrl))
  server.on("checkExpectation", refuseExpectation(baseUrl))
  takeUnheard(server, baseUrl)
  return server
}
