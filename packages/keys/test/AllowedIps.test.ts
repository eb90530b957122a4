import { admitsAddress, canonicalNetworks } from "@agent-platform/keys"
import { assert, describe, it } from "vitest"
import { networksOutside } from "../src/AllowedIps.ts"

describe("a network", () => {
  const written: ReadonlyArray<readonly [string, string]> = [
    ["203.0.113.0/24", "203.0.113.0/24"],
    ["203.0.113.7", "203.0.113.7/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8:0:0::/32", "2001:db8::/32"],
    ["2001:0db8::0001", "2001:db8::1/128"],
    ["::/0", "::/0"],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["::ffff:a00:1", "10.0.0.1/32"]
  ]
  for (const [given, canonical] of written) {
    it(`that is written ${given} is ${canonical}`, () =>
      assert.deepStrictEqual(canonicalNetworks([given]), [canonical]))
  }

  const garbage = [
    "",
    " ",
    "10.0.0.1/8",
    "2001:db8::1/32",
    "010.0.0.0/8",
    "0x0a.0.0.0/8",
    "10/8",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8.0",
    "10.0.0.0/08",
    "10.0.0.0/",
    "/8",
    "10.0.0.0/8/8",
    " 10.0.0.0/8",
    "10.0.0.0/8\n",
    "256.0.0.0/8",
    "2001:db8::/129",
    "fe80::1%eth0",
    "[::1]",
    "::1::",
    "localhost",
    "*",
    "١٠.0.0.0/8"
  ]
  for (const text of garbage) {
    it(`is not ${JSON.stringify(text)}`, () => assert.isUndefined(canonicalNetworks([text])))
  }

  it("is named once, and garbage spoils the whole list", () => {
    assert.deepStrictEqual(canonicalNetworks(["10.0.0.0/8", "::ffff:10.0.0.0/104", "192.0.2.1"]), [
      "10.0.0.0/8",
      "192.0.2.1/32"
    ])
    assert.isUndefined(canonicalNetworks(["10.0.0.0/8", "x"]))
    assert.deepStrictEqual(canonicalNetworks([]), [])
  })
})

describe("an address", () => {
  it("is admitted everywhere where no network is named, known or not", () => {
    for (const address of ["192.0.2.1", undefined, "garbage"]) assert.isTrue(admitsAddress([], address))
  })

  it("is not admitted by networks of the other family", () => {
    assert.isFalse(admitsAddress(["0.0.0.0/0"], "2001:db8::1"))
    assert.isFalse(admitsAddress(["::/0"], "192.0.2.1"))
    assert.isFalse(admitsAddress(["::/0"], "::ffff:192.0.2.1"))
  })

  it("is admitted at both ends of a network and not beyond", () => {
    for (const address of ["10.16.0.0", "10.31.255.255"]) assert.isTrue(admitsAddress(["10.16.0.0/12"], address))
    for (const address of ["10.15.255.255", "10.32.0.0"]) assert.isFalse(admitsAddress(["10.16.0.0/12"], address))
  })
})

describe("networks outside of others", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [[], [], []],
    [[], ["10.0.0.0/8"], []],
    [["10.0.0.0/8"], [], ["0.0.0.0/0", "::/0"]],
    [["10.0.0.0/8"], ["10.0.0.0/8"], []],
    [["10.0.0.0/8"], ["10.1.2.3/32", "10.128.0.0/9"], []],
    [["10.0.0.0/8"], ["10.0.0.0/7"], ["10.0.0.0/7"]],
    [["10.0.0.0/8", "192.0.2.0/24"], ["192.0.2.128/25", "198.51.100.0/24"], ["198.51.100.0/24"]],
    // Two halves do not make a whole: each network has to lie inside one.
    [["10.0.0.0/9", "10.128.0.0/9"], ["10.0.0.0/8"], ["10.0.0.0/8"]],
    [["0.0.0.0/0"], ["2001:db8::/32"], ["2001:db8::/32"]]
  ]
  for (const [outer, inner, outside] of cases) {
    it(`of [${inner}] beyond [${outer}] are [${outside}]`, () =>
      assert.deepStrictEqual(networksOutside(outer, inner), outside))
  }
})
