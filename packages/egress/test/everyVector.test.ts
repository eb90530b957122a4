/** Every address of the published table: as a literal, as a name's answer, and after a change of mind. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EgressGuard } from "../src/index.ts"
import { admit, aResolver, send } from "./support.ts"
import vectors from "./vectors/addresses.json" with { type: "json" }

const refused = vectors.filter(({ kind, verdict }) => verdict === "refused" && kind !== "malformed")

const NAME = "https://name.example/"

/** The guard over a resolver that gives these answers to the name, one after another, and the last of them for good. */
const guardOver = (...answers: ReadonlyArray<string>) => {
  const { resolver } = aResolver({ "name.example": answers.map((address) => [address]) })
  return EgressGuard.layer({ allowLoopback: false, resolver })
}

const urlOf = (address: string) => (address.includes(":") ? `https://[${address}]/` : `https://${address}/`)

// Spec: Webhook endpoint 1.
describe("an address of the table that is not public", () => {
  it.live.each(refused)("is refused at registration and at connect: $address, $why", ({ address }) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(admit(urlOf(address))))._tag, "UrlNotPublic")
      assert.strictEqual((yield* Effect.flip(send(urlOf(address)))).reason, "address_refused")
      assert.strictEqual((yield* Effect.flip(admit(NAME)))._tag, "UrlNotPublic")
      assert.strictEqual((yield* Effect.flip(send(NAME))).reason, "address_refused")
    }).pipe(Effect.provide(guardOver(address)))
  )

  it.live.each(refused)("is refused at connect to a name that was public at registration: $address", ({ address }) =>
    Effect.gen(function* () {
      yield* admit(NAME)
      const failed = yield* Effect.flip(send(NAME))
      assert.strictEqual(failed.reason, "address_refused")
      assert.isNull(failed.remoteAddress)
    }).pipe(Effect.provide(guardOver("1.1.1.1", address)))
  )
})
