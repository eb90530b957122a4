/** Serves large documents that are the same for everybody. They are compressed once and kept in memory. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { codingFor, encoded, isHeld, tagOf } from "../edge/codings.ts"

/** A document before it is compressed. */
export interface Document {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

/** Makes the handler of GET for a document: compressed as the caller accepts it, or 304 for a caller that has it already. */
export const makeDocument = ({ bytes, contentType, headers }: Document) =>
  Effect.gen(function* () {
    const bodies = { br: yield* encoded(bytes, "br"), gzip: yield* encoded(bytes, "gzip"), identity: bytes }
    const all = { ...headers, etag: tagOf(bytes), vary: "Accept-Encoding" }
    return Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
      if (isHeld(request.headers, all.etag)) return HttpServerResponse.empty({ status: 304, headers: all })
      const coding = codingFor(request.headers)
      return HttpServerResponse.uint8Array(bodies[coding], {
        contentType,
        headers: coding === "identity" ? all : { ...all, "content-encoding": coding }
      })
    })
  })
