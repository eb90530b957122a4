import { OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { EndpointId } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { FAILURES_TO_PROBING, type LaneKey, type LaneLimits, makeLanes } from "../src/Lanes.ts"

const aKey = (organizationId = anId(OrganizationId)): LaneKey => ({ id: anId(EndpointId), organizationId })

const lanesOf = (override: Partial<LaneLimits> = {}) =>
  makeLanes<string>({ total: 100, perEndpoint: 4, perNewEndpoint: 4, perSlowEndpoint: 2, waiting: 100, ...override })

type TestLanes = ReturnType<typeof lanesOf>

/** Fills the lane as far as it has room, and answers how far that was. */
const fill = (lanes: TestLanes, key: LaneKey) => {
  let entered = 0
  for (; lanes.room(key) > 0; entered++) lanes.enter(key)
  return entered
}

const takeAll = (lanes: TestLanes) => {
  const taken: Array<string> = []
  for (let next = lanes.take(); next !== undefined; next = lanes.take()) taken.push(next)
  return taken
}

describe("lanes", () => {
  it("hold so many in all", () => {
    const lanes = lanesOf({ total: 3 })
    let entered = 0
    for (let count = 0; count < 10; count++) entered += fill(lanes, aKey())
    assert.strictEqual(entered, 3)
    assert.strictEqual(lanes.free(), 0)
  })

  it("hand out in order however long one goes on without ever being empty", () => {
    const lanes = lanesOf()
    const key = aKey()
    lanes.offer(key, "0")
    for (let number = 1; number <= 5_000; number++) {
      lanes.offer(key, String(number))
      assert.strictEqual(lanes.take(), String(number - 1))
      lanes.leave(key, true, false)
    }
    assert.deepStrictEqual(takeAll(lanes), ["5000"])
  })

  it("are full one by one, and each only for its own endpoint", () => {
    const lanes = lanesOf()
    const [one, two] = [aKey(), aKey()]
    assert.strictEqual(fill(lanes, one), 4)
    assert.strictEqual(lanes.room(two), 4)
    assert.deepStrictEqual(lanes.rooms(), new Map([[one.id, 0]]))
    lanes.leave(one, true, false)
    assert.strictEqual(lanes.room(one), 1)
  })

  it("give one organization half of all, and leave some for whoever comes next", () => {
    const lanes = lanesOf({ total: 64, perEndpoint: 64, perNewEndpoint: 64 })
    const organizationId = anId(OrganizationId)
    const first = fill(lanes, aKey(organizationId)) + fill(lanes, aKey(organizationId))
    assert.strictEqual(first, 32)
    assert.strictEqual(fill(lanes, aKey()), 16)
    assert.strictEqual(fill(lanes, aKey()), 8)
    for (let count = 0; count < 20; count++) fill(lanes, aKey())
    assert.isAtMost(first, 32)
  })

  it("narrow to a probe after three failures without a success between them, and widen with the next success", () => {
    const lanes = lanesOf()
    const key = aKey()
    const attempt = (succeeded: boolean) => {
      lanes.enter(key)
      lanes.leave(key, succeeded, false)
    }
    for (const succeeded of [false, false, true, false, false]) attempt(succeeded)
    assert.strictEqual(lanes.room(key), 4)
    attempt(false)
    assert.strictEqual(FAILURES_TO_PROBING, 3)
    assert.strictEqual(lanes.room(key), 1)
    assert.deepStrictEqual(lanes.rooms(), new Map([[key.id, 1]]))
    attempt(true)
    assert.strictEqual(lanes.room(key), 4)
  })

  it("count nothing for what was not tried", () => {
    const lanes = lanesOf()
    const key = aKey()
    for (let count = 0; count < 5; count++) {
      lanes.enter(key)
      lanes.leave(key, undefined, false)
    }
    assert.strictEqual(lanes.room(key), 4)
  })

  it("narrow while something in them is slow, and let nothing wait there", () => {
    const lanes = lanesOf()
    const key = aKey()
    lanes.enter(key)
    assert.isTrue(lanes.offer(key, "waits"))
    lanes.slowed(key)
    assert.strictEqual(lanes.room(key), 1)
    assert.isFalse(lanes.offer(key, "does not"))
    assert.deepStrictEqual([...lanes.evict(() => false)], ["waits"])
    lanes.leave(key, true, true)
    assert.strictEqual(lanes.room(key), 4)
  })

  it("begin narrow, widen with every success, and are narrow again after something slow", () => {
    const lanes = lanesOf({ perEndpoint: 8, perNewEndpoint: 2 })
    const key = aKey()
    // Keeps the lane known.
    lanes.enter(key)
    assert.strictEqual(lanes.room(key), 1)
    for (let successes = 1; successes <= 10; successes++) {
      lanes.enter(key)
      lanes.leave(key, true, false)
      assert.strictEqual(lanes.room(key), Math.min(8, 2 + successes) - 1)
    }
    lanes.enter(key)
    lanes.slowed(key)
    lanes.leave(key, true, true)
    assert.strictEqual(lanes.room(key), 1)
  })

  it("begin narrow again once nothing is in them", () => {
    const lanes = lanesOf({ perNewEndpoint: 2 })
    const key = aKey()
    lanes.enter(key)
    lanes.enter(key)
    lanes.leave(key, true, false)
    assert.strictEqual(lanes.room(key), 2)
    lanes.leave(key, true, false)
    assert.strictEqual(lanes.room(key), 2)
  })

  it("remember who failed, however many others came and went", () => {
    const lanes = lanesOf()
    for (let count = 0; count < 11_000; count++) {
      const key = aKey()
      lanes.enter(key)
      lanes.leave(key, true, false)
    }
    const failing = aKey()
    for (let failures = 0; failures < FAILURES_TO_PROBING; failures++) {
      lanes.enter(failing)
      lanes.leave(failing, false, false)
    }
    assert.strictEqual(lanes.room(failing), 1)
  })

  it("give the places of what is slow to others, of the same organization too", () => {
    const lanes = lanesOf({ total: 8, perEndpoint: 8, perNewEndpoint: 4 })
    const organizationId = anId(OrganizationId)
    const [hanging, prompt] = [aKey(organizationId), aKey(organizationId)]
    assert.strictEqual(fill(lanes, hanging), 4)
    assert.strictEqual(lanes.room(prompt), 0)
    for (let count = 0; count < 4; count++) lanes.slowed(hanging)
    assert.strictEqual(lanes.free(), 8)
    assert.strictEqual(lanes.room(prompt), 4)
    assert.strictEqual(lanes.room(hanging), 0)
    for (let count = 0; count < 4; count++) lanes.leave(hanging, false, true)
    assert.strictEqual(lanes.free(), 8)
  })

  it("give nothing to slow and failing endpoints, and little to unknown ones, while there are as many slow as places", () => {
    const lanes = lanesOf({ total: 4, perNewEndpoint: 2 })
    const [slow, failing, known] = [aKey(), aKey(), aKey()]
    for (let count = 0; count < 3; count++) {
      lanes.enter(failing)
      lanes.leave(failing, false, false)
    }
    lanes.enter(known)
    lanes.enter(known)
    lanes.leave(known, true, false)
    lanes.leave(known, true, false)
    lanes.enter(known)
    assert.strictEqual(lanes.room(failing), 1)
    for (let count = 0; count < 4; count++) {
      const key = count === 0 ? slow : aKey()
      lanes.enter(key)
      lanes.slowed(key)
    }
    assert.strictEqual(lanes.room(slow), 0)
    assert.strictEqual(lanes.room(failing), 0)
    assert.strictEqual(lanes.room(aKey()), 1)
  })

  it("let what finds no room wait, first come first, endpoints in turn", () => {
    const lanes = lanesOf({ perEndpoint: 1 })
    const [one, two] = [aKey(), aKey()]
    for (const item of ["a", "b", "c"]) lanes.offer(one, `one ${item}`)
    for (const item of ["a", "b"]) lanes.offer(two, `two ${item}`)
    assert.strictEqual(lanes.waiting(), 5)
    assert.sameMembers(takeAll(lanes), ["one a", "two a"])
    lanes.leave(one, true, false)
    assert.deepStrictEqual(takeAll(lanes), ["one b"])
    lanes.leave(two, true, false)
    lanes.leave(one, true, false)
    assert.sameMembers(takeAll(lanes), ["one c", "two b"])
    assert.strictEqual(lanes.waiting(), 0)
  })

  it("come round to every lane in which something waits, however many there are", () => {
    const lanes = lanesOf({ total: 1000, perEndpoint: 1, waiting: 10_000 })
    const keys = Array.from({ length: 200 }, () => aKey())
    for (const key of keys) {
      lanes.enter(key)
      lanes.offer(key, key.id)
    }
    const last = keys.at(-1)
    assert.isDefined(last)
    lanes.leave(last, true, false)
    const looks = Array.from({ length: 20 }, () => lanes.take())
    assert.deepStrictEqual(
      looks.filter((found) => found !== undefined),
      [last.id]
    )
  })

  it("share the room to wait as they share that to be in flight", () => {
    const lanes = lanesOf({ perEndpoint: 1, waiting: 64 })
    const offered = (key: LaneKey) => {
      let count = 0
      while (lanes.offer(key, "x")) count++
      return count
    }
    assert.strictEqual(offered(aKey()), 32)
    assert.strictEqual(offered(aKey()), 16)
    assert.strictEqual(offered(aKey()), 8)
  })

  it("give up what has waited long enough, and keep the rest in order", () => {
    const lanes = lanesOf({ perEndpoint: 1 })
    const [one, two] = [aKey(), aKey()]
    for (const item of ["old 1", "old 2", "new 3"]) lanes.offer(one, item)
    lanes.offer(two, "old 4")
    assert.deepStrictEqual([...lanes.evict((item) => item.startsWith("old"))], ["old 1", "old 2", "old 4"])
    assert.strictEqual(lanes.waiting(), 1)
    assert.deepStrictEqual(takeAll(lanes), ["new 3"])
  })
})
