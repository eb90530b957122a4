import { Buffer } from "node:buffer"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"

/** Decompressed bytes that one step of a decoder yields at most, hence the most that is inflated past the cap. */
export const INFLATE_STEP_BYTES = 16_384

/** The encodings that are decoded, as they are offered in `accept-encoding`. */
export const ACCEPT_ENCODING = "gzip, deflate, br"

/** What a reader reports, each at most once, and nothing after `done` or `corrupt`. */
export interface BodyReaderEvents {
  /** The body, decompressed. `whole` is false when the cap cut it off. */
  readonly done: (body: Uint8Array, whole: boolean) => void
  /** The body is not what its encoding says. */
  readonly corrupt: () => void
  /** After a `push` that answered false: more may come. May be called again after the next such `push`. */
  readonly ready: () => void
}

/** Reads one answer's body as it comes. */
export interface BodyReader {
  /** Takes the next piece from the wire. False: hold back until `ready`. */
  readonly push: (piece: Uint8Array) => boolean
  /** No more pieces come. */
  readonly end: () => void
  /** Frees what the reader holds; it reports nothing more. */
  readonly stop: () => void
  /** Bytes decompressed so far. */
  readonly inflated: () => number
}

/** True when a body of this `content-encoding` is decoded; every other body is handed on as it came. */
export const isDecoded = (encoding: string): boolean => /^(x-gzip|gzip|deflate|br)$/i.test(encoding.trim())

const makeDecoder = (encoding: string, first: Uint8Array) => {
  const options = { chunkSize: INFLATE_STEP_BYTES }
  switch (encoding.trim().toLowerCase()) {
    case "br":
      return createBrotliDecompress(options)
    case "deflate":
      // The name means zlib; some servers send bare deflate. A zlib stream has an 8 in the low half of its first byte.
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options)
    default:
      return createGunzip(options)
  }
}

/**
 * A reader that keeps at most `bytesMax` decompressed bytes and stops decompressing there, at most one step of
 * `INFLATE_STEP_BYTES` later: a small bomb costs no more than its cap. It decodes gzip, deflate and brotli.
 */
export const makeBodyReader = (encoding: string, bytesMax: number, events: BodyReaderEvents): BodyReader => {
  const pieces: Array<Uint8Array> = []
  let kept = 0
  let inflated = 0
  let over = false
  let decoder: ReturnType<typeof makeDecoder> | null = null

  const stop = () => {
    over = true
    decoder?.destroy()
  }

  const finish = (whole: boolean) => {
    if (over) return
    stop()
    events.done(Buffer.concat(pieces, kept), whole)
  }

  const keep = (piece: Uint8Array) => {
    inflated += piece.length
    const fitting = piece.subarray(0, bytesMax - kept)
    pieces.push(fitting)
    kept += fitting.length
    if (inflated > bytesMax) finish(false)
  }

  const startDecoder = (first: Uint8Array) =>
    makeDecoder(encoding, first)
      .on("data", keep)
      .on("end", () => finish(true))
      .on("drain", () => {
        if (!over) events.ready()
      })
      .on("error", () => {
        if (over) return
        stop()
        events.corrupt()
      })

  return {
    push: (piece) => {
      if (over) return true
      if (!isDecoded(encoding)) {
        keep(piece)
        return true
      }
      decoder ??= startDecoder(piece)
      return decoder.write(piece)
    },
    end: () => {
      if (decoder === null) finish(true)
      else if (!over) decoder.end()
    },
    stop,
    inflated: () => inflated
  }
}
