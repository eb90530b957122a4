/** The rule that every connection is held to, as a table and over addresses by chance. */
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { type EgressPolicy, mayReach } from "../src/EgressPolicy.ts"
import { addressKind, isPublicAddress } from "../src/index.ts"
import { parseTarget } from "../src/Target.ts"
import { aPolicy } from "./support.ts"
import vectors from "./vectors/addresses.json" with { type: "json" }

const NEVER = [
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "168.63.129.16",
  "0.0.0.0",
  "224.0.0.1",
  "255.255.255.255",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "fd00:42::42",
  "fe80::1",
  "fe80::a9fe:a9fe",
  "::ffff:a9fe:a9fe",
  "::ffff:a00:1",
  "::",
  "64:ff9b::a00:1",
  "2002:a00:1::1"
]

const WIDEST = "http://0.0.0.0/0,http://::/0,http://*.internal,http://localhost"

interface Row {
  readonly allowed: string
  readonly url: string
  /** An address that the host resolves to; its own without it. */
  readonly address?: string
}

const reaches = (policy: EgressPolicy, { address, url }: Omit<Row, "allowed">): boolean => {
  const target = parseTarget(policy, url)
  if (target._tag === "Failure") return false
  return mayReach(policy, target.success.peer, address ?? target.success.peer.host)
}

const ADMITTED: ReadonlyArray<Row> = [
  { allowed: "", url: "https://a.example/", address: "1.1.1.1" },
  { allowed: "10.0.0.0/8", url: "https://10.1.2.3/" },
  { allowed: "10.0.0.0/8", url: "https://10.1.2.3:8443/" },
  { allowed: "10.0.0.0/8", url: "https://a.example/", address: "10.1.2.3" },
  { allowed: "http://10.0.0.0/8", url: "http://10.1.2.3:8000/" },
  { allowed: "http://10.0.0.0/8", url: "https://10.1.2.3/" },
  { allowed: "http://10.0.0.0/8", url: "http://a.example/", address: "10.1.2.3" },
  { allowed: "http://10.0.0.0/8:8000", url: "http://10.1.2.3:8000/" },
  { allowed: "fd12::/48", url: "https://[fd12::1]/" },
  { allowed: "vllm.internal", url: "https://vllm.internal/", address: "10.1.2.3" },
  { allowed: "vllm.internal", url: "https://VLLM.internal/", address: "fd12::1" },
  { allowed: "vllm.internal", url: "https://vllm.internal/", address: "100.64.0.1" },
  { allowed: "http://vllm.internal", url: "http://vllm.internal:8000/", address: "192.168.1.1" },
  { allowed: "http://vllm.internal", url: "http://vllm.internal/", address: "1.1.1.1" },
  { allowed: "http://vllm.internal:80", url: "http://vllm.internal/", address: "10.1.2.3" },
  { allowed: "vllm.internal:443", url: "https://vllm.internal/", address: "10.1.2.3" },
  { allowed: "*.svc.cluster.local", url: "https://a.b.svc.cluster.local/", address: "10.96.0.10" },
  { allowed: "http://localhost", url: "http://localhost:11434/", address: "127.0.0.1" },
  { allowed: "http://127.0.0.0/8", url: "http://127.0.0.2:11434/" },
  { allowed: "127.0.0.2", url: "https://a.example/", address: "127.0.0.2" },
  { allowed: "198.18.0.0/15", url: "https://198.18.0.1/" }
]

const REFUSED: ReadonlyArray<Row> = [
  { allowed: "", url: "https://10.1.2.3/" },
  { allowed: "", url: "http://a.example/", address: "1.1.1.1" },
  { allowed: "10.0.0.0/8", url: "http://10.1.2.3/" },
  { allowed: "10.0.0.0/8", url: "http://a.example/", address: "10.1.2.3" },
  { allowed: "10.0.0.0/8", url: "https://11.0.0.1.example/", address: "192.168.0.1" },
  { allowed: "http://10.0.0.0/8", url: "http://a.example/", address: "1.1.1.1" },
  { allowed: "10.0.0.0/8:8000", url: "https://10.1.2.3/" },
  { allowed: "10.0.0.0/8:8000,http://192.168.0.0/16", url: "http://10.1.2.3:8000/" },
  { allowed: "http://10.0.0.0/8:8000,10.0.0.0/8", url: "http://10.1.2.3:8001/" },
  { allowed: "vllm.internal", url: "http://vllm.internal/", address: "10.1.2.3" },
  { allowed: "vllm.internal", url: "https://a.vllm.internal/", address: "10.1.2.3" },
  { allowed: "vllm.internal", url: "https://vllm.internal.example/", address: "10.1.2.3" },
  { allowed: "vllm.internal", url: "https://10.1.2.3/" },
  { allowed: "vllm.internal", url: "https://vllm.internal/", address: "127.0.0.1" },
  { allowed: "vllm.internal:443", url: "https://vllm.internal:8443/", address: "10.1.2.3" },
  { allowed: "*.svc.cluster.local", url: "https://svc.cluster.local/", address: "10.96.0.10" },
  { allowed: "*.svc.cluster.local", url: "https://evilsvc.cluster.local/", address: "10.96.0.10" },
  { allowed: "*.svc.cluster.local", url: "https://a.svc.cluster.local/", address: "::1" },
  { allowed: "localhost", url: "https://a.localhost/", address: "127.0.0.1" },
  { allowed: "http://127.0.0.1", url: "http://localhost/", address: "127.0.0.1" },
  { allowed: "10.0.0.0/8", url: "https://167837955/" },
  { allowed: "10.0.0.0/8", url: "https://0x0a.1.2.3/" },
  { allowed: "10.0.0.0/8", url: "https://012.1.2.3/" },
  { allowed: "10.0.0.0/8", url: "https://10.1.2.3./" },
  { allowed: "10.0.0.0/8", url: "https://[::ffff:10.1.2.3]/" },
  { allowed: "vllm.internal", url: "https://vllm.internal./", address: "10.1.2.3" },
  { allowed: "xn--bcher-kva.internal", url: "https://bücher.internal/", address: "10.1.2.3" }
]

// Spec: Webhook endpoint 1.
describe("a policy", () => {
  for (const row of ADMITTED) {
    it(`admits ${row.url}${row.address === undefined ? "" : ` at ${row.address}`} by '${row.allowed}'`, () => {
      assert.isTrue(reaches(aPolicy(row.allowed), row))
    })
  }

  for (const row of REFUSED) {
    it(`refuses ${row.url}${row.address === undefined ? "" : ` at ${row.address}`} by '${row.allowed}'`, () => {
      assert.isFalse(reaches(aPolicy(row.allowed), row))
    })
  }

  it("never admits a metadata service or another special address, however wide it is", () => {
    const policy = aPolicy(WIDEST, { allowLoopback: true })
    for (const address of NEVER) {
      for (const isPlain of [false, true]) {
        for (const host of [address, "localhost", "metadata.internal", "a.example"]) {
          assert.isFalse(mayReach(policy, { isPlain, host, port: 80 }, address), `${host} at ${address}`)
        }
      }
    }
  })

  it("admits of the published table no more than the kinds that it may, however wide it is", () => {
    const policy = aPolicy(WIDEST)
    const kinds = new Set(["public", "private", "shared", "unique-local", "loopback", "benchmarking"])
    for (const { address, kind } of vectors) {
      assert.strictEqual(
        mayReach(policy, { isPlain: true, host: "a.example", port: 80 }, address),
        kinds.has(kind),
        address
      )
    }
  })

  it("admits nothing at the ports of databases and metrics, not even over plain http to a public address", () => {
    const policy = aPolicy(WIDEST, { allowLoopback: true, anywhere: [5432] })
    for (const address of ["10.0.0.1", "127.0.0.1", "fd12::1"]) {
      assert.isFalse(mayReach(policy, { isPlain: false, host: "db.internal", port: 5432 }, address))
      assert.isTrue(mayReach(policy, { isPlain: false, host: "db.internal", port: 5433 }, address))
    }
    assert.isFalse(mayReach(policy, { isPlain: true, host: "db.internal", port: 5432 }, "1.1.1.1"))
    assert.isTrue(mayReach(policy, { isPlain: false, host: "db.internal", port: 5432 }, "1.1.1.1"))
  })

  it("admits nothing at the ports of the platform's processes on this machine, by any of its addresses", () => {
    const policy = aPolicy(WIDEST, { allowLoopback: true, here: [8080] })
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    for (const { address } of own) {
      assert.isFalse(mayReach(policy, { isPlain: true, host: address, port: 8080 }, address), address)
    }
    assert.isFalse(mayReach(policy, { isPlain: true, host: "localhost", port: 8080 }, "127.0.0.9"))
    assert.isTrue(mayReach(policy, { isPlain: true, host: "a.internal", port: 8080 }, "10.255.255.253"))
  })
})

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
      assert.strictEqual(mayReach(policy, from, to), isPublicAddress(to) && !from.isPlain, to)
    }
  })

  it("reaches by a list what one of its entries admits alone", () => {
    const next = makeChance()
    let admitted = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { from, list, to } = next()
      const single = ["", ...list.split(",")].map((entry) => aPolicy(entry))
      const expected = single.some((policy) => mayReach(policy, from, to))
      assert.strictEqual(mayReach(aPolicy(list), from, to), expected, `${list} for ${from.host} at ${to}`)
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
      if (!mayReach(aPolicy(list, { allowLoopback: true, anywhere: [5432] }), from, to)) continue
      assert.isFalse(special.has(addressKind(to)), to)
      assert.isFalse(from.port === 5432 && (from.isPlain || !isPublicAddress(to)), to)
    }
    assert.isAbove(met, ROUNDS / 20)
  })
})
