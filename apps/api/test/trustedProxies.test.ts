/** Which proxies an API believes, by its environment. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { IpNetwork } from "effect/net"
import { config } from "../src/config.ts"

const read = (TRUSTED_PROXIES: string) =>
  Effect.map(config, ({ trustedProxies }) => trustedProxies.map(IpNetwork.format)).pipe(
    Effect.provide(
      ConfigProvider.layer(
        ConfigProvider.fromUnknown({ DATABASE_URL: "postgres://127.0.0.1/agents", SECRETS_KEY: "x", TRUSTED_PROXIES })
      )
    )
  )

describe("TRUSTED_PROXIES", () => {
  it.effect("names none of itself", () =>
    Effect.gen(function* () {
      for (const none of ["", "none"]) assert.isEmpty(yield* read(none))
    })
  )

  it.effect("takes networks and addresses", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read("10.0.0.0/8, 127.0.0.1,::1"), ["10.0.0.0/8", "127.0.0.1/32", "::1/128"])
    })
  )

  it.effect("stops a start that it does not understand, so that nobody is believed by mistake", () =>
    Effect.gen(function* () {
      for (const wrong of ["10.0.0.1/8", "10.0.0.0/8,", "loopback", "true", "1", "none,10.0.0.0/8", "*"]) {
        const { variable } = yield* Effect.flip(read(wrong))
        assert.strictEqual(variable, "TRUSTED_PROXIES")
      }
    })
  )
})
