/** The rule that every connection is held to, as a table. */
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import type { EgressPolicy } from "../src/EgressPolicy.ts"
import { parseTarget } from "../src/Target.ts"
import { aPolicy, reaches } from "./support.ts"
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

const admits = (policy: EgressPolicy, { address, url }: Omit<Row, "allowed">): boolean => {
  const target = parseTarget(policy, url)
  if (target._tag === "Failure") return false
  return reaches(policy, target.success.peer, address ?? target.success.peer.host)
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
      assert.isTrue(admits(aPolicy(row.allowed), row))
    })
  }

  for (const row of REFUSED) {
    it(`refuses ${row.url}${row.address === undefined ? "" : ` at ${row.address}`} by '${row.allowed}'`, () => {
      assert.isFalse(admits(aPolicy(row.allowed), row))
    })
  }

  it("never admits a metadata service or another special address, however wide it is", () => {
    const policy = aPolicy(WIDEST, { allowLoopback: true })
    for (const address of NEVER) {
      for (const isPlain of [false, true]) {
        for (const host of [address, "localhost", "metadata.internal", "a.example"]) {
          assert.isFalse(reaches(policy, { isPlain, host, port: 80 }, address), `${host} at ${address}`)
        }
      }
    }
  })

  it("admits of the published table no more than the kinds that it may, however wide it is", () => {
    const policy = aPolicy(WIDEST)
    const kinds = new Set(["public", "private", "shared", "unique-local", "loopback", "benchmarking"])
    for (const { address, kind } of vectors) {
      assert.strictEqual(
        reaches(policy, { isPlain: true, host: "a.example", port: 80 }, address),
        kinds.has(kind),
        address
      )
    }
  })

  it("admits nothing at the ports of databases and metrics, not even over plain http to a public address", () => {
    const policy = aPolicy(WIDEST, { allowLoopback: true, anywhere: [5432] })
    for (const address of ["10.0.0.1", "127.0.0.1", "fd12::1"]) {
      assert.isFalse(reaches(policy, { isPlain: false, host: "db.internal", port: 5432 }, address))
      assert.isTrue(reaches(policy, { isPlain: false, host: "db.internal", port: 5433 }, address))
    }
    assert.isFalse(reaches(policy, { isPlain: true, host: "db.internal", port: 5432 }, "1.1.1.1"))
    assert.isTrue(reaches(policy, { isPlain: false, host: "db.internal", port: 5432 }, "1.1.1.1"))
  })

  it("admits nothing at the ports of the platform's processes on this machine, by any of its addresses", () => {
    const policy = aPolicy(WIDEST, { allowLoopback: true, here: [8080] })
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    for (const { address } of own) {
      assert.isFalse(reaches(policy, { isPlain: true, host: address, port: 8080 }, address), address)
    }
    assert.isFalse(reaches(policy, { isPlain: true, host: "localhost", port: 8080 }, "127.0.0.9"))
    assert.isTrue(reaches(policy, { isPlain: true, host: "a.internal", port: 8080 }, "10.255.255.253"))
  })
})
