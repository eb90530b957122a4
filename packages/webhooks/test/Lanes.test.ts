import { anId } from "@agent-platform/kernel/testing"
import { EndpointId } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { makeLanes } from "../src/Lanes.ts"

const [one, two] = [anId(EndpointId), anId(EndpointId)]

describe("lanes", () => {
  it("hold so many deliveries in all", () => {
    const lanes = makeLanes({ total: 3, perEndpoint: 2 })
    assert.strictEqual(lanes.free(), 3)
    for (const endpointId of [one, two, one]) lanes.enter(endpointId)
    assert.strictEqual(lanes.free(), 0)
    lanes.leave(two)
    assert.strictEqual(lanes.free(), 1)
  })

  it("are full one by one, and each only for its own endpoint", () => {
    const lanes = makeLanes({ total: 10, perEndpoint: 2 })
    lanes.enter(one)
    assert.isTrue(lanes.admits(one))
    assert.isEmpty(lanes.full())
    lanes.enter(one)
    assert.isFalse(lanes.admits(one))
    assert.isTrue(lanes.admits(two))
    assert.deepStrictEqual(lanes.full(), [one])
  })

  it("have room again when a delivery leaves", () => {
    const lanes = makeLanes({ total: 10, perEndpoint: 1 })
    lanes.enter(one)
    lanes.leave(one)
    assert.isTrue(lanes.admits(one))
    assert.isEmpty(lanes.full())
    assert.strictEqual(lanes.free(), 10)
  })
})
