import { Buffer } from "node:buffer"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"

/** Most decompressed bytes of one step of a decoder, hence the most beyond the cap. */
export const INFLATE_STEP_BYTES = 16_384

/** The encodings that are decoded, as they are offered in `accept-encoding`. */
export const ACCEPT_ENCODING = "gzip, deflate, br"

/** The events of a reader, each at most once, and none after `done` or `corrupt`. */
export interface BodyReaderEvents {
  /** The body, decompressed. `whole` is false when it may have more: the cap cut it off, or its compressed data ended early. */
  readonly done: (body: Uint8Array, whole: boolean) => void
  /** The body is not what its encoding says. */
  readonly corrupt: () => void
  /** A reader whose `push` returned false can take more. */
  readonly ready: () => void
}

/** True when a body of this `content-encoding` is decoded; every other body is handed on as it came. */
export const isDecoded = (encoding: string): boolean =>
  encoding !== "" && /^(x-gzip|gzip|deflate|br)$/i.test(encoding.trim())

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
 * Reads one answer's body as it comes, and keeps at most `bytesMax` decompressed bytes. It stops decompressing there, at most one
 * step of `INFLATE_STEP_BYTES` later: a small bomb costs no more than its cap. It decodes gzip, deflate and brotli.
 */
export class BodyReader {
  /** Bytes decompressed so far. */
  inflatedBytes = 0
  private readonly encoding: string
  private readonly bytesMax: number
  private readonly events: BodyReaderEvents
  private readonly decodes: boolean
  private readonly pieces: Array<Uint8Array> = []
  private keptBytes = 0
  private isOver = false
  private isAllHere = false
  private decoder: ReturnType<typeof makeDecoder> | null = null

  constructor(encoding: string, bytesMax: number, events: BodyReaderEvents) {
    this.encoding = encoding
    this.bytesMax = bytesMax
    this.events = events
    this.decodes = isDecoded(encoding)
  }

  /** Takes the next piece from the wire. False asks the caller to hold the rest back until `ready`. */
  push(piece: Uint8Array): boolean {
    if (this.isOver) return true
    if (!this.decodes) {
      this.keep(piece)
      return true
    }
    this.decoder ??= this.startDecoder(piece)
    return this.decoder.write(piece)
  }

  /** Tells the reader that no more pieces come. */
  end() {
    this.isAllHere = true
    if (this.decoder === null) this.finish(true)
    else if (!this.isOver) this.decoder.end()
  }

  /** Frees what the reader holds; it reports nothing more. */
  stop() {
    this.isOver = true
    this.decoder?.destroy()
  }

  private finish(whole: boolean) {
    if (this.isOver) return
    this.stop()
    this.events.done(Buffer.concat(this.pieces, this.keptBytes), whole)
  }

  private keep(piece: Uint8Array) {
    this.inflatedBytes += piece.length
    const fitting = piece.subarray(0, this.bytesMax - this.keptBytes)
    this.pieces.push(fitting)
    this.keptBytes += fitting.length
    if (this.inflatedBytes > this.bytesMax) this.finish(false)
  }

  /** Compressed data can end before the body does; what follows it is not read. */
  private startDecoder(first: Uint8Array) {
    return makeDecoder(this.encoding, first)
      .on("data", (piece: Uint8Array) => this.keep(piece))
      .on("end", () => this.finish(this.isAllHere))
      .on("drain", () => {
        if (!this.isOver) this.events.ready()
      })
      .on("error", () => {
        if (this.isOver) return
        this.stop()
        this.events.corrupt()
      })
  }
}
