import { loginNetworkOf } from "@agent-platform/keys"
import { assert, describe, it } from "vitest"

describe("the network by which logins are counted", () => {
  it("is an IPv4 address, however it is written, and the /64 of an IPv6 address", () => {
    assert.strictEqual(loginNetworkOf("192.0.2.7"), "192.0.2.7/32")
    assert.strictEqual(loginNetworkOf("::ffff:192.0.2.7"), "192.0.2.7/32")
    assert.strictEqual(loginNetworkOf("2001:db8:0:7:1:2:3:4"), "2001:db8:0:7::/64")
    assert.strictEqual(loginNetworkOf("2001:db8:0:7::1"), loginNetworkOf("2001:db8:0:7:ffff::"))
  })

  it("is one for all addresses that are not known", () => {
    assert.strictEqual(loginNetworkOf(undefined), "unknown")
    assert.strictEqual(loginNetworkOf("somewhere"), "unknown")
  })
})
