import { createSocket } from "node:dgram"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeNameServerResolver } from "../src/HostResolver.ts"

const TYPE_A = 1
const TYPE_AAAA = 28
const SERVER_FAILURE = 2
const NO_SUCH_NAME = 3

/** Addresses as bytes, or an error code of DNS. */
type Answer = ReadonlyArray<ReadonlyArray<number>> | number

/** A name server on the loopback that answers by name and type. */
const nameServer = (zone: (name: string, type: number) => Answer) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly address: string; readonly stop: () => void }>((resume) => {
      const socket = createSocket("udp4")
      socket.on("message", (question, peer) => {
        const labels: Array<string> = []
        let at = 12
        for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
          labels.push(question.toString("latin1", at + 1, at + 1 + length))
          at += length + 1
        }
        const type = question.readUInt16BE(at + 1)
        const answer = zone(labels.join(".").toLowerCase(), type)
        const records = typeof answer === "number" ? [] : answer
        const head = Buffer.from(question.subarray(0, 12))
        head.writeUInt16BE(0x8180 | (typeof answer === "number" ? answer : 0), 2)
        head.writeUInt16BE(records.length, 6)
        head.writeUInt32BE(0, 8)
        const body = records.map((bytes) => {
          const record = Buffer.alloc(12)
          record.writeUInt16BE(0xc00c, 0)
          record.writeUInt16BE(type, 2)
          record.writeUInt16BE(1, 4)
          record.writeUInt32BE(60, 6)
          record.writeUInt16BE(bytes.length, 10)
          return Buffer.concat([record, Buffer.from(bytes)])
        })
        socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...body]), peer.port, peer.address)
      })
      socket.bind(0, "127.0.0.1", () =>
        resume(Effect.succeed({ address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() }))
      )
    }),
    (server) => Effect.sync(server.stop)
  )

const V4 = [93, 184, 215, 14]
const V4_INNER = [10, 0, 0, 1]
const V6 = [0x26, 0x06, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]

const zone = (name: string, type: number): Answer => {
  switch (name) {
    case "both.example":
      return type === TYPE_A ? [V4, V4_INNER] : [V6]
    case "four.example":
      return type === TYPE_A ? [V4] : []
    case "six.example":
      return type === TYPE_AAAA ? [V6] : []
    case "halfbroken.example":
      return type === TYPE_A ? [V4] : SERVER_FAILURE
    case "broken.example":
      return SERVER_FAILURE
    case "empty.example":
      return []
    default:
      return NO_SUCH_NAME
  }
}

const resolve = (name: string) =>
  Effect.flatMap(nameServer(zone), ({ address }) => makeNameServerResolver([address])(name))

describe("makeNameServerResolver", () => {
  it.live("answers every address of both families", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([...(yield* resolve("both.example"))].sort(), [
        "10.0.0.1",
        "2606:4700:4700::1111",
        "93.184.215.14"
      ])
    })
  )

  it.live("is content with one family", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resolve("four.example"), ["93.184.215.14"])
      assert.deepStrictEqual(yield* resolve("six.example"), ["2606:4700:4700::1111"])
      assert.deepStrictEqual(yield* resolve("halfbroken.example"), ["93.184.215.14"])
    })
  )

  it.live("fails when there is no such name, no address, or no working server", () =>
    Effect.gen(function* () {
      for (const name of ["missing.example", "empty.example", "broken.example"]) {
        const failed = yield* Effect.flip(resolve(name))
        assert.strictEqual(failed._tag, "NameNotResolved")
        assert.match(failed.code, /^E[A-Z]+$/)
      }
    })
  )
})
