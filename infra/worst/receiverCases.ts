/** Answers of a webhook receiver: any status with bodies and headers of any size. */
import { gzipSync } from "node:zlib"
import { until } from "../system/harness.ts"
import { type Case, type Scale, sizesBelow } from "./cases.ts"
import type { Platform } from "./platform.ts"
import { jsonOf } from "./send.ts"
import { type Answer, type Strangers, writeAll } from "./strangers.ts"
import { makeTester } from "./tester.ts"

const ENDPOINT = "a receiver's answer"

const BODY_BYTES_MAX = 16 * 1024 * 1024
const HEAD_BYTES_MAX = 12_000

const BLOCK = 64 * 1024

function* blocks(piece: string, size: number): Iterable<string> {
  const block = piece.repeat(Math.ceil(Math.min(size, BLOCK) / piece.length))
  for (let sent = 0; sent < size; sent += block.length) yield block
}

/** For each size, an answer with this status and a body of that size. */
const ofBody =
  (
    status: number,
    parts: (size: number) => Iterable<string | Uint8Array>,
    headers: Readonly<Record<string, string>> = {}
  ) =>
  (size: number): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "text/plain", ...headers })
    writeAll(response, parts(size))
  }

/** For each size, an answer with headers of that size. */
const ofHead =
  (headers: (size: number) => Readonly<Record<string, string | ReadonlyArray<string>>>) =>
  (size: number): Answer =>
  (response) =>
    response.writeHead(500, headers(size) as Record<string, string>).end("no")

const gzip = { "content-encoding": "gzip" }

const ANSWERS: ReadonlyArray<readonly [member: string, bytesMax: number, answer: (size: number) => Answer]> = [
  ["200: letters", BODY_BYTES_MAX, ofBody(200, (size) => blocks("a", size))],
  ["500: letters", BODY_BYTES_MAX, ofBody(500, (size) => blocks("a", size))],
  ["500: blanks", BODY_BYTES_MAX, ofBody(500, (size) => blocks(" ", size))],
  ["500: characters of four bytes", BODY_BYTES_MAX, ofBody(500, (size) => blocks("😀", size))],
  ["500: no UTF-8", BODY_BYTES_MAX, ofBody(500, (size) => [new Uint8Array(size).fill(0xff)])],
  ["500: a body that inflates", BODY_BYTES_MAX, ofBody(500, (size) => [gzipSync(Buffer.alloc(size))], gzip)],
  ["500: many small pieces", 64 * 1024, ofBody(500, (size) => Array.from({ length: size }, () => "a"))],
  [
    "headers: names",
    HEAD_BYTES_MAX,
    ofHead((size) => Object.fromEntries(Array.from({ length: size / 12 }, (_, index) => [`x-n${index}`, "1"])))
  ],
  [
    "headers: one name again and again",
    HEAD_BYTES_MAX,
    ofHead((size) => ({ "x-n": Array.from({ length: size / 8 }, () => "1") }))
  ],
  ["headers: retry-after of digits", HEAD_BYTES_MAX, ofHead((size) => ({ "retry-after": "7".repeat(size) }))],
  ["headers: retry-after of blanks", HEAD_BYTES_MAX, ofHead((size) => ({ "retry-after": `Mon${" ".repeat(size)}1` }))],
  ["headers: content-encoding", HEAD_BYTES_MAX, ofHead((size) => ({ "content-encoding": "gzip,".repeat(size / 5) }))]
]

/** Every case of a receiver's answer to a delivery. */
export const receiverCases = (platform: Platform, strangers: Strangers, scale: Scale): ReadonlyArray<Case> => {
  let last: (() => Promise<unknown>) | undefined
  return ANSWERS.map(([member, bytesMax, answer]) => ({
    endpoint: ENDPOINT,
    member,
    sizes: sizesBelow(bytesMax, scale),
    prepare: async (size) => {
      // Failed deliveries would be retried during later measurements.
      await last?.()
      const tester = await makeTester(platform)
      const { id } = await tester.make("POST", "/api/v1/org/webhooks", { url: strangers.settle(answer(size)) })
      const path = `/api/v1/org/webhooks/${id}`
      last = () => tester.ask("DELETE", path)
      return async () => {
        const { delivery_id } = await tester.make("POST", `${path}/test`, {})
        const attempt = await until("the delivery was attempted", async () => {
          const read = jsonOf(await tester.ask("GET", `${path}/deliveries/${delivery_id}`))
          return (read["attempts"] as ReadonlyArray<Record<string, unknown>>)[0]
        })
        return `delivery ${attempt["response_code"] ?? attempt["error"]}`
      }
    }
  }))
}
