/** Answers of Amazon Bedrock, in the binary form of its event streams. */
import { Buffer } from "node:buffer"
import { crc32 } from "node:zlib"
import type { Answer } from "./ScriptedServer.ts"

const header = (name: string, value: string): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value)
  ])
}

const sum = (bytes: Buffer): Buffer => {
  const sealed = Buffer.alloc(4)
  sealed.writeUInt32BE(crc32(bytes))
  return sealed
}

/** A frame as Amazon sends it. */
export const frame = (kind: "event" | "exception", type: string, payload: string): Buffer => {
  const headers = Buffer.concat([
    header(`:${kind}-type`, type),
    header(":content-type", "application/json"),
    header(":message-type", kind)
  ])
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + headers.length + Buffer.byteLength(payload), 0)
  prelude.writeUInt32BE(headers.length, 4)
  const whole = Buffer.concat([prelude, sum(prelude), headers, Buffer.from(payload)])
  return Buffer.concat([whole, sum(whole)])
}

/** A frame with an event in it. */
export const event = (type: string, payload: object) => frame("event", type, JSON.stringify(payload))

/** Words, one after another. */
export const saying = (...text: ReadonlyArray<string>) => [
  event("messageStart", { role: "assistant" }),
  ...text.map((piece) => event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: piece } })),
  event("contentBlockStop", { contentBlockIndex: 0 })
]

/** The count in `ending`. */
export const USAGE = {
  inputTokens: 20,
  cacheReadInputTokens: 15,
  cacheWriteInputTokens: 5,
  outputTokens: 8,
  totalTokens: 48
}

/** The end of an answer. */
export const ending = [event("messageStop", { stopReason: "end_turn" }), event("metadata", { usage: USAGE })]

/** The frames, in pieces of so many bytes, and then the end of the answer, that of its connection, or nothing for ever. */
export const frames =
  (all: ReadonlyArray<Buffer>, { hangs = false, isCut = false, size = 7 } = {}): Answer =>
  (response) => {
    const bytes = Buffer.concat([...all])
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" })
    for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size))
    if (hangs) return
    if (isCut) setImmediate(() => response.destroy())
    else response.end()
  }
