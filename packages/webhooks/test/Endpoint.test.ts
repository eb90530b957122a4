/** The states of an endpoint and of its secrets. Spec: Webhook endpoint. */

import { anEndpoint } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { Endpoint, LIVE_SECRETS_MAX, liveSecrets } from "../src/Endpoint.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const later = (seconds: number) => DateTime.add(NOW, { seconds })

describe("an endpoint", () => {
  it("is disabled for a reason, which is gone once it is enabled", () => {
    const active = anEndpoint()
    const off = Endpoint.disabled(active, "disabled_by_request")
    assert.deepStrictEqual(off, { ...active, status: "disabled", disabledReason: "disabled_by_request" })
    assert.deepStrictEqual(Endpoint.enabled(off), active)
  })

  it("keeps no secret once it is deleted", () => {
    const endpoint = anEndpoint({ retiringSecrets: [{ sealed: "old", expiresAt: later(60) }] })
    assert.deepInclude(Endpoint.deleted(endpoint), { status: "deleted", sealedSecret: "", retiringSecrets: [] })
  })
})

describe("the secrets of an endpoint", () => {
  const first = anEndpoint({ sealedSecret: "first" })

  it("sign together until the grace of the older one is over", () => {
    const endpoint = Endpoint.rotated(first, "second", { graceSeconds: 60, now: NOW })
    assert.deepStrictEqual(liveSecrets(endpoint, later(59)), ["second", "first"])
    assert.deepStrictEqual(liveSecrets(endpoint, later(60)), ["second"])
  })

  it("sign alone at once when there is no grace", () => {
    const endpoint = Endpoint.rotated(first, "second", { graceSeconds: 0, now: NOW })
    assert.deepStrictEqual(endpoint.retiringSecrets, [])
    assert.deepStrictEqual(liveSecrets(endpoint, NOW), ["second"])
  })

  it("never sign for longer than a later rotation grants", () => {
    const second = Endpoint.rotated(first, "second", { graceSeconds: 3600, now: NOW })
    const third = Endpoint.rotated(second, "third", { graceSeconds: 60, now: later(1) })
    assert.deepStrictEqual(liveSecrets(third, later(60)), ["third", "second", "first"])
    assert.deepStrictEqual(liveSecrets(third, later(61)), ["third"])
    const alone = Endpoint.rotated(third, "fourth", { graceSeconds: 0, now: later(2) })
    assert.deepStrictEqual(liveSecrets(alone, later(2)), ["fourth"])
  })

  it("keep their own end when a later rotation grants more", () => {
    const second = Endpoint.rotated(first, "second", { graceSeconds: 10, now: NOW })
    const third = Endpoint.rotated(second, "third", { graceSeconds: 3600, now: later(1) })
    assert.deepStrictEqual(liveSecrets(third, later(9)), ["third", "second", "first"])
    assert.deepStrictEqual(liveSecrets(third, later(10)), ["third", "second"])
  })

  it("are so many at most, of which the oldest gives way", () => {
    let endpoint = anEndpoint({ sealedSecret: "0" })
    for (let count = 1; count <= 9; count++) {
      endpoint = Endpoint.rotated(endpoint, String(count), { graceSeconds: 3600, now: NOW })
    }
    assert.strictEqual(LIVE_SECRETS_MAX, 5)
    assert.deepStrictEqual(liveSecrets(endpoint, NOW), ["9", "8", "7", "6", "5"])
  })
})
