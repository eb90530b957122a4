import { Api } from "@agent-platform/contract"
import { Effect, Layer, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"

/** The page brings all it needs with it; nothing is loaded from, or sent to, anywhere else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "frame-ancestors 'none'"
].join("; ")

const headers = HttpRouter.middleware((respond) =>
  Effect.map(
    respond,
    HttpServerResponse.setHeaders({
      "cache-control": "public, max-age=300",
      "content-security-policy": CONTENT_SECURITY_POLICY
    })
  )
)

const layerPage = HttpApiScalar.layer(Api, {
  path: "/docs",
  scalar: { withDefaultFonts: false, hideTestRequestButton: false, showOperationId: false }
}).pipe(Layer.provide(headers.layer))

/** The browsable documentation at `/docs`. It is 13 MB of memory, which are taken when somebody first asks for it. */
export const layerDocs: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const scope = yield* Effect.scope
    const page = yield* Effect.cached(Scope.provide(HttpRouter.toHttpEffect(layerPage), scope))
    // Nothing else is routed there, so that it is found.
    yield* router.add("GET", "/docs", Effect.orDie(Effect.flatten(page)))
  })
)
