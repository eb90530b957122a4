import { Api } from "@agent-platform/contract"
import { Effect, type Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { makeDocument } from "./documents.ts"

/** The page holds all it needs; it loads nothing from elsewhere and sends nothing there. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "frame-ancestors 'none'"
].join("; ")

const headers = { "cache-control": "public, max-age=300", "content-security-policy": CONTENT_SECURITY_POLICY }

const layerPage = HttpApiScalar.layer(Api, {
  path: "/docs",
  scalar: { withDefaultFonts: false, hideTestRequestButton: false, showOperationId: false }
})

const REQUEST = HttpServerRequest.fromWeb(new Request("http://localhost/docs"))

const makePage = Effect.gen(function* () {
  const routed = yield* HttpRouter.toHttpEffect(layerPage)
  const { body } = yield* Effect.provideService(routed, HttpServerRequest.HttpServerRequest, REQUEST)
  if (body._tag !== "Uint8Array") return yield* Effect.die("The page is not made of bytes")
  return yield* makeDocument({ bytes: body.body, contentType: body.contentType, headers })
})

/** The browsable documentation at `/docs`. It is 5 MB of memory, which are taken when somebody first asks for it. */
export const layerDocs: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    // Made to its end, though the first who asks may go away.
    const page = yield* Effect.cached(Effect.uninterruptible(Effect.orDie(Effect.scoped(makePage))))
    yield* router.add("GET", "/docs", Effect.flatten(page))
  })
)
