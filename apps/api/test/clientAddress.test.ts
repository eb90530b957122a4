/** Client addresses, as proxies report them. */
import { parseNetwork } from "@agent-platform/keys"
import { assert, describe, it } from "vitest"
import { resolveAddress } from "../src/clientAddress.ts"

const networks = (...texts: ReadonlyArray<string>) =>
  texts.map((text) => parseNetwork(text)).filter((network) => network !== undefined)

type Row = readonly [
  title: string,
  peer: string | undefined,
  forwarded: string | undefined,
  address: string | undefined
]

describe("without trusted proxies", () => {
  const rows: ReadonlyArray<Row> = [
    ["the other end of the connection", "192.0.2.1", undefined, "192.0.2.1"],
    ["whatever the header says", "192.0.2.1", "203.0.113.7", "192.0.2.1"],
    ["an IPv4 address where it is mapped", "::ffff:192.0.2.1", undefined, "192.0.2.1"],
    ["an IPv6 address in its one way of writing", "2001:DB8:0::1", undefined, "2001:db8::1"],
    ["an address without the zone of this machine", "fe80::1%eth0", undefined, "fe80::1"],
    ["nothing where there is no connection", undefined, "203.0.113.7", undefined],
    ["nothing for a socket that is no address", "/run/api.sock", undefined, undefined]
  ]
  for (const [title, peer, forwarded, address] of rows) {
    it(`is ${title}`, () => assert.strictEqual(resolveAddress(peer, forwarded, []), address))
  }
})

describe("behind trusted proxies", () => {
  const trusted = networks("10.0.0.0/8", "2001:db8:ffff::/48")
  const rows: ReadonlyArray<Row> = [
    ["whom the proxy names", "10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["the nearest that is not trusted", "10.0.0.1", "198.51.100.1, 203.0.113.7, 10.9.9.9", "203.0.113.7"],
    ["not what a caller claims by itself", "192.0.2.1", "203.0.113.7", "192.0.2.1"],
    ["the farthest where all are trusted", "10.0.0.1", "10.1.1.1,10.2.2.2", "10.1.1.1"],
    ["the proxy where it names nobody", "10.0.0.1", undefined, "10.0.0.1"],
    ["the proxy also over a mapped address", "::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["whom an IPv6 proxy names", "2001:db8:ffff::1", "2001:db8::7", "2001:db8::7"],
    ["an entry with a port", "10.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["an entry in brackets", "10.0.0.1", "[2001:db8::7]", "2001:db8::7"],
    ["an entry in brackets with a port", "10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"],
    ["a mapped entry as IPv4", "10.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"],
    ["found whatever stands before it", "10.0.0.1", "garbage, 203.0.113.7", "203.0.113.7"],
    ["unknown behind an entry that is no address", "10.0.0.1", "203.0.113.7, unknown", undefined],
    ["unknown behind one that hides its name", "10.0.0.1", "203.0.113.7, _hidden, 10.2.2.2", undefined],
    ["unknown behind an empty entry", "10.0.0.1", "203.0.113.7,", undefined],
    ["unknown for an empty header", "10.0.0.1", "", undefined],
    ["unknown behind an octal entry", "10.0.0.1", "0313.0.113.7", undefined],
    ["unknown behind a network", "10.0.0.1", "203.0.113.0/24", undefined],
    ["unknown behind an element of Forwarded", "10.0.0.1", "for=203.0.113.7", undefined]
  ]
  for (const [title, peer, forwarded, address] of rows) {
    it(`is ${title}`, () => assert.strictEqual(resolveAddress(peer, forwarded, trusted), address))
  }
})
