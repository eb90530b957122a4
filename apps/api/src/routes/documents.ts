/** Documents that are large and the same for everybody: compressed once, kept in memory, and not sent to who has them already. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { preferred } from "../edge/accept.ts"

/** A document as it is before it is compressed. */
export interface Document {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

/** The ways in which a document is sent, the shortest first. */
const CODINGS = ["br", "gzip", "identity"] as const
type Coding = (typeof CODINGS)[number]

/** Twice the time of this makes a document shorter by a hundredth. */
const BROTLI_QUALITY = 5

const compress = (bytes: Uint8Array): Effect.Effect<Readonly<Record<Coding, Uint8Array>>> =>
  Effect.promise(async () => ({
    br: await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    gzip: await promisify(gzip)(bytes),
    identity: bytes
  }))

const codingFor = (accepted: string | undefined): Coding =>
  preferred(accepted === undefined || accepted.trim() === "" ? "identity" : accepted, CODINGS) ?? "identity"

/** Whether one of the tags that a caller has is this one. RFC 9110, 13.1.2. */
const names = (tags: string, etag: string): boolean =>
  tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag)

/** Answers GET for a document, compressed as the caller has it, and 304 to who has it already. */
export const makeDocument = ({ bytes, contentType, headers }: Document) =>
  Effect.map(compress(bytes), (compressed) => {
    const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
    return Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
      const coding = codingFor(request.headers["accept-encoding"])
      const etag = `"${hash}-${coding}"`
      const all = { ...headers, etag, vary: "Accept-Encoding" }
      if (names(request.headers["if-none-match"] ?? "", etag))
        return HttpServerResponse.empty({ status: 304, headers: all })
      return HttpServerResponse.uint8Array(compressed[coding], {
        contentType,
        headers: coding === "identity" ? all : { ...all, "content-encoding": coding }
      })
    })
  })
