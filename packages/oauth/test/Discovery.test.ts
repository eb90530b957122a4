import { assert, describe, it } from "@effect/vitest"
import { Configuration } from "openid-client"
import { makeDiscovery } from "../src/Discovery.ts"

const HOUR_MILLIS = 3_600_000

const found = (issuer: string) => new Configuration({ issuer }, "client")
const issuerOf = (configuration: Configuration) => configuration.serverMetadata().issuer

describe("what a provider says of itself", () => {
  it("is asked for again after an hour, and not before", async () => {
    let now = 0
    let asked = 0
    const discovery = makeDiscovery(
      async () => found(`https://${++asked}.test`),
      () => now
    )
    assert.strictEqual(issuerOf(await discovery()), "https://1.test")
    now = HOUR_MILLIS - 1
    assert.strictEqual(issuerOf(await discovery()), "https://1.test")
    now = HOUR_MILLIS
    assert.strictEqual(issuerOf(await discovery()), "https://2.test")
  })

  it("goes on to serve while the provider is away", async () => {
    let now = 0
    let away = false
    const discovery = makeDiscovery(
      async () => {
        if (away) throw new Error("away")
        return found("https://a.test")
      },
      () => now
    )
    await discovery()
    away = true
    now = HOUR_MILLIS
    assert.strictEqual(issuerOf(await discovery()), "https://a.test")
  })
})
