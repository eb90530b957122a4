/** The rule that every connection is held to, over addresses by chance. */
import { assert, describe, it } from "@effect/vitest"
import { addressKind, isPublicAddress } from "../src/index.ts"
import { aPolicy, reaches } from "./support.ts"

describe("a policy over addresses by chance", () => {
  const ENTRIES = [
    "10.0.0.0/8",
    "http://10.0.0.0/8",
    "http://0.0.0.0/0",
    "fd00::/8",
    "http://::/0",
    "http://vllm.internal",
    "*.svc.cluster.local",
    "http://127.0.0.0/8:8000"
  ]
  const BEGINNINGS = [
    "10.",
    "127.",
    "169.254.",
    "100.100.",
    "172.",
    "192.168.",
    "1.",
    "fd00:",
    "fd20:",
    "fe80:",
    "2001:",
    "2002:"
  ]
  const HOSTS = ["a.example", "localhost", "vllm.internal", "b.svc.cluster.local"]

  /** Connections by a chance that repeats itself, every address written in full. */
  const makeChance = () => {
    let state = 7
    const below = (limit: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * limit)
    }
    const among = <A>(values: ReadonlyArray<A>) => values[below(values.length)] as A
    const address = () => {
      const beginning = below(3) === 0 ? "" : among(BEGINNINGS)
      const isV6 = beginning === "" ? below(2) === 0 : beginning.includes(":")
      const parts = beginning.split(/[.:]/).filter((part) => part !== "")
      while (parts.length < (isV6 ? 8 : 4)) {
        parts.push(isV6 ? among(["0", "ec2", "ce", "fffe", below(0x10000).toString(16)]) : `${below(256)}`)
      }
      return parts.join(isV6 ? ":" : ".")
    }
    return () => ({
      to: address(),
      from: { isPlain: below(2) === 0, host: among(HOSTS), port: among([80, 443, 5432, 8000]) },
      list: Array.from({ length: below(4) }, () => among(ENTRIES)).join(",")
    })
  }

  const ROUNDS = 3_000

  it("reaches without a list what is public over TLS, and nothing else", () => {
    const next = makeChance()
    const policy = aPolicy("")
    for (let round = 0; round < ROUNDS; round++) {
      const { from, to } = next()
      assert.strictEqual(reaches(policy, from, to), isPublicAddress(to) && !from.isPlain, to)
    }
  })

  it("reaches by a list what one of its entries admits alone", () => {
    const next = makeChance()
    let admitted = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { from, list, to } = next()
      const single = ["", ...list.split(",")].map((entry) => aPolicy(entry))
      const expected = single.some((policy) => reaches(policy, from, to))
      assert.strictEqual(reaches(aPolicy(list), from, to), expected, `${list} for ${from.host} at ${to}`)
      if (expected) admitted += 1
    }
    assert.isAbove(admitted, ROUNDS / 20)
  })

  it("never reaches a special address, nor by a list a closed port", () => {
    const special = new Set([
      "link-local",
      "metadata",
      "platform",
      "multicast",
      "this-network",
      "mapped",
      "translated",
      "6to4"
    ])
    const next = makeChance()
    let met = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { from, list, to } = next()
      if (special.has(addressKind(to))) met += 1
      if (!reaches(aPolicy(list, { allowLoopback: true, anywhere: [5432] }), from, to)) continue
      assert.isFalse(special.has(addressKind(to)), to)
      assert.isFalse(from.port === 5432 && (from.isPlain || !isPublicAddress(to)), to)
    }
    assert.isAbove(met, ROUNDS / 20)
  })
})
