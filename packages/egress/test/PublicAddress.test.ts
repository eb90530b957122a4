import { assert, describe, it } from "@effect/vitest"
import { addressKind, isLoopbackAddress, isPublicAddress } from "../src/index.ts"
import vectors from "./vectors/addresses.json" with { type: "json" }

describe("isPublicAddress", () => {
  it("is held to at least 120 vectors, each address once", () => {
    assert.isAtLeast(vectors.length, 120)
    assert.strictEqual(new Set(vectors.map(({ address }) => address)).size, vectors.length)
  })

  for (const { address, kind, verdict, why } of vectors) {
    it(`${JSON.stringify(address)} is ${verdict}: ${why}`, () => {
      assert.strictEqual(isPublicAddress(address), verdict === "public")
      assert.strictEqual(addressKind(address), kind)
      assert.strictEqual(isLoopbackAddress(address), kind === "loopback")
    })
  }

  it("refuses every address of the blocks that no vector walks through", () => {
    for (let second = 0; second < 256; second++) {
      assert.isFalse(isPublicAddress(`10.${second}.1.2`))
      assert.isFalse(isPublicAddress(`127.${second}.1.2`))
      assert.isFalse(isPublicAddress(`169.254.${second}.254`))
      assert.strictEqual(isPublicAddress(`172.${second}.1.2`), second < 16 || second > 31)
      assert.strictEqual(isPublicAddress(`100.${second}.1.2`), second < 64 || second > 127)
    }
  })

  it("admits of IPv6 nothing outside 2000::/3", () => {
    for (let high = 0; high < 0x100; high++) {
      for (const low of [0, 1, 0x7f, 0xfe, 0xff]) {
        const first = high * 0x100 + low
        const inside = first >= 0x2000 && first < 0x4000
        if (isPublicAddress(`${first.toString(16)}:abcd::1`)) assert.isTrue(inside)
      }
    }
  })
})
