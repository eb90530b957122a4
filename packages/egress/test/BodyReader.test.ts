import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { BodyReader, INFLATE_STEP_BYTES } from "../src/BodyReader.ts"
import { textOf } from "./support.ts"

type Outcome = { readonly body: Uint8Array; readonly whole: boolean; readonly inflated: number } | "corrupt"

const read = (encoding: string, bytesMax: number, pieces: ReadonlyArray<Uint8Array>, ends = true) =>
  Effect.callback<Outcome>((resume) => {
    const left = [...pieces]
    const feed = () => {
      for (let piece = left.shift(); piece !== undefined; piece = left.shift()) {
        if (!reader.push(piece)) return
      }
      if (ends) reader.end()
    }
    const reader = new BodyReader(encoding, bytesMax, {
      done: (body, whole) => resume(Effect.succeed({ body, whole, inflated: reader.inflatedBytes })),
      corrupt: () => resume(Effect.succeed("corrupt" as const)),
      ready: feed
    })
    feed()
  })

const readText = (encoding: string, bytesMax: number, bytes: Uint8Array) =>
  Effect.map(read(encoding, bytesMax, [bytes]), (outcome) =>
    outcome === "corrupt" ? outcome : `${textOf(outcome.body)}|${outcome.whole ? "whole" : "cut"}`
  )

const bytes = (text: string) => new TextEncoder().encode(text)

const BOMB_BYTES = 53_000_000
const CAP = 65_536

const ZEROS = new Uint8Array(BOMB_BYTES)
const GZIP_BOMB = gzipSync(ZEROS)
// Brotli's usual quality takes seconds here, and makes a bomb no smaller.
const BROTLI_BOMB = brotliCompressSync(ZEROS, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })

describe("BodyReader", () => {
  it.live("decodes gzip, both forms of deflate, and brotli", () =>
    Effect.gen(function* () {
      const text = bytes("an answer")
      assert.strictEqual(yield* readText("gzip", 100, gzipSync(text)), "an answer|whole")
      assert.strictEqual(yield* readText("X-GZIP ", 100, gzipSync(text)), "an answer|whole")
      assert.strictEqual(yield* readText("deflate", 100, deflateSync(text)), "an answer|whole")
      assert.strictEqual(yield* readText("deflate", 100, deflateRawSync(text)), "an answer|whole")
      assert.strictEqual(yield* readText("br", 100, brotliCompressSync(text)), "an answer|whole")
    })
  )

  it.live("hands on as it came what it does not decode", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readText("", 100, bytes("plain")), "plain|whole")
      assert.strictEqual(yield* readText("zstd", 100, bytes("raw")), "raw|whole")
      assert.strictEqual(yield* readText("gzip, gzip", 100, bytes("raw")), "raw|whole")
    })
  )

  it.live("cuts at the cap, and only what is longer", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readText("", 4, bytes("1234")), "1234|whole")
      assert.strictEqual(yield* readText("", 4, bytes("12345")), "1234|cut")
      assert.strictEqual(yield* readText("gzip", 4, gzipSync("1234")), "1234|whole")
      assert.strictEqual(yield* readText("gzip", 4, gzipSync("12345")), "1234|cut")
      assert.strictEqual(yield* readText("", 0, bytes("")), "|whole")
      assert.strictEqual(yield* readText("", 0, bytes("1")), "|cut")
    })
  )

  it.live("takes an empty body for empty, whatever its encoding", () =>
    Effect.gen(function* () {
      const outcome = yield* read("gzip", CAP, [])
      assert.deepStrictEqual(outcome === "corrupt" ? outcome : [outcome.body.length, outcome.whole], [0, true])
    })
  )

  it.live("inflates a bomb at most one step past the cap", () =>
    Effect.gen(function* () {
      for (const [encoding, bomb] of [
        ["gzip", GZIP_BOMB],
        ["br", BROTLI_BOMB]
      ] as const) {
        assert.isBelow(bomb.length, 60_000)
        const outcome = yield* read(encoding, CAP, [bomb])
        assert(outcome !== "corrupt")
        assert.strictEqual(outcome.body.length, CAP)
        assert.isFalse(outcome.whole)
        assert.isAtMost(outcome.inflated, CAP + INFLATE_STEP_BYTES)
      }
    })
  )

  it.live("cuts a bomb before its end has come", () =>
    Effect.gen(function* () {
      const outcome = yield* read("gzip", CAP, [GZIP_BOMB.subarray(0, 2_000)], false)
      assert(outcome !== "corrupt")
      assert.strictEqual(outcome.body.length, CAP)
    })
  )

  it.live("calls a body corrupt that is not what its encoding says, or breaks off", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readText("gzip", 100, bytes("this is no gzip")), "corrupt")
      assert.strictEqual(yield* readText("br", 100, bytes("this is no brotli")), "corrupt")
      assert.strictEqual(yield* readText("gzip", 100, gzipSync("an answer").subarray(0, 20)), "corrupt")
    })
  )

  it.live("reads a long body that comes in small pieces", () =>
    Effect.gen(function* () {
      const text = Array.from({ length: 200_000 }, (_, index) => String.fromCharCode(33 + ((index * 7919) % 89))).join(
        ""
      )
      const wire = gzipSync(text)
      const pieces = Array.from({ length: Math.ceil(wire.length / 1_000) }, (_, index) =>
        wire.subarray(index * 1_000, (index + 1) * 1_000)
      )
      const outcome = yield* read("gzip", 1_000_000, pieces)
      assert(outcome !== "corrupt")
      assert.isTrue(outcome.whole)
      assert.strictEqual(textOf(outcome.body), text)
    })
  )
})
