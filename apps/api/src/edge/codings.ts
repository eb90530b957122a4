/** Compresses bodies, and makes the tags by which callers name the bodies that they have already. */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import type { Headers } from "effect/http"
import { preferred } from "./accept.ts"

/** The codings of a body, the one with the shortest result first. */
const CODINGS = ["br", "gzip", "identity"] as const
export type Coding = (typeof CODINGS)[number]

/** A higher quality takes twice the time and makes a document only a hundredth shorter. */
const BROTLI_QUALITY = 5

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** The best coding that a caller accepts. */
export const codingFor = (headers: Headers.Headers): Coding => {
  const accepted = headers["accept-encoding"]
  return preferred(accepted === undefined || accepted.trim() === "" ? "identity" : accepted, CODINGS) ?? "identity"
}

/** Encodes the bytes, outside of the main thread. */
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

/** The weak tag of a body, which is the same in every coding. */
export const tagOf = (bytes: Uint8Array): string => `W/"${hash("sha256", bytes, "base64url").slice(0, 22)}"`

const opaque = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Whether a caller has the body of this tag already, by the weak comparison of RFC 9110, 13.1.2. */
export const isHeld = (headers: Headers.Headers, tag: string): boolean => {
  const held = headers["if-none-match"]?.split(",") ?? []
  return held.some((one) => one.trim() === "*" || opaque(one) === opaque(tag))
}
