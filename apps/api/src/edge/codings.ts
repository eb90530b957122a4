/** Compressed bodies, and the tags by which a caller says what it has already. */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import type { Headers } from "effect/http"
import { preferred } from "./accept.ts"

/** The ways in which a body is sent, the shortest first. */
const CODINGS = ["br", "gzip", "identity"] as const
export type Coding = (typeof CODINGS)[number]

/** Twice the time of this makes a document shorter by a hundredth. */
const BROTLI_QUALITY = 5

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** The coding that a caller asks for. */
export const codingFor = (headers: Headers.Headers): Coding => {
  const accepted = headers["accept-encoding"]
  return preferred(accepted === undefined || accepted.trim() === "" ? "identity" : accepted, CODINGS) ?? "identity"
}

/** The bytes in this coding, made outside of the main thread. */
export const encoded = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> => {
  if (coding === "identity") return Effect.succeed(bytes)
  return Effect.promise(() =>
    coding === "gzip"
      ? gzipped(bytes)
      : brotli(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength
          }
        })
  )
}

/** The weak tag of a body: the same in every coding. */
export const tagOf = (bytes: Uint8Array): string => `W/"${hash("sha256", bytes, "base64url").slice(0, 22)}"`

const opaque = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Whether a caller has the body of this tag already. RFC 9110, 13.1.2: by weak comparison. */
export const isHeld = (headers: Headers.Headers, tag: string): boolean => {
  const held = headers["if-none-match"]?.split(",") ?? []
  return held.some((one) => one.trim() === "*" || opaque(one) === opaque(tag))
}
