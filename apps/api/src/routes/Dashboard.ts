/** Serves the files of the built dashboard: see decision 0069. */
import { Context, Effect, Layer } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { preferred } from "../edge/accept.ts"
import { codingFor, isHeld } from "../edge/codings.ts"
import { type DashboardFile, type DashboardFiles, DashboardFolder, readDashboard } from "./dashboardFiles.ts"

/** The page runs its own files only, speaks to this server only, and is framed by nobody. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** The page itself is asked for anew each time, since it names the files of its build. */
const PAGE = {
  "cache-control": "no-cache",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "permissions-policy": "camera=(), microphone=(), geolocation=()"
}

/** The name of an asset holds the hash of its content. */
const ASSET = { "cache-control": "public, max-age=31536000, immutable" }

const ASSETS = "/assets/"

/** Addresses that programs call. An unknown one gets a 404, since a page would hide that the address is wrong. */
const OF_PROGRAMS = /^\/(?:api|docs|problems|openapi\.json|healthz|readyz|\.well-known)(?:\/|$)/

const answer = (
  { headers }: HttpServerRequest.HttpServerRequest,
  { bodies, contentType, etag }: DashboardFile,
  own: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const all = { ...own, etag, vary: "Accept, Accept-Encoding" }
  if (isHeld(headers, etag)) return HttpServerResponse.empty({ status: 304, headers: all })
  const coding = codingFor(headers)
  const body = bodies[coding]
  const encoding = body === bodies.identity ? {} : { "content-encoding": coding }
  return HttpServerResponse.uint8Array(body, { contentType, headers: { ...all, ...encoding } })
}

const wantsPage = (headers: HttpServerRequest.HttpServerRequest["headers"]): boolean =>
  headers["accept"] !== undefined && preferred(headers["accept"], ["application/json", "text/html"]) === "text/html"

/** Finds the dashboard's response to requests whose address the API does not have. */
export class Dashboard extends Context.Service<
  Dashboard,
  {
    /** The file or page for this request to an unknown address; undefined where it is none of the dashboard's. */
    readonly find: (
      request: HttpServerRequest.HttpServerRequest,
      path: string
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse | undefined>
  }
>()("@agent-platform/api/Dashboard") {
  /** Reads the page at the first request for it; where none is built yet it looks again at the next one. */
  static readonly layer = Layer.effect(
    Dashboard,
    Effect.gen(function* () {
      const folder = yield* DashboardFolder
      let files: DashboardFiles | undefined
      const read = Effect.promise(async () => {
        files ??= await readDashboard(folder)
        return files
      })
      return {
        find: (request, path) => {
          if (request.method !== "GET" && request.method !== "HEAD") return Effect.undefined
          if (path.startsWith(ASSETS)) {
            return Effect.map(read, (built) => {
              const asset = built?.assets.get(path.slice(ASSETS.length))
              return asset && answer(request, asset, ASSET)
            })
          }
          if (OF_PROGRAMS.test(path) || !wantsPage(request.headers)) return Effect.undefined
          return Effect.map(read, (built) => built && answer(request, built.index, PAGE))
        }
      }
    })
  )
}
