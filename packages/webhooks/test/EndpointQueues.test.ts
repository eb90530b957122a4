import { OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { EndpointId } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import {
  type EndpointKey,
  FAILURES_TO_PROBING,
  type InFlightLimits,
  makeEndpointLimiter
} from "../src/worker/EndpointLimiter.ts"
import { makeEndpointQueues } from "../src/worker/EndpointQueues.ts"

const aKey = (organizationId = anId(OrganizationId)): EndpointKey => ({ id: anId(EndpointId), organizationId })

const limits = { total: 100, perEndpoint: 4, perNewEndpoint: 4, perSlowEndpoint: 2 }

/** A limiter and the queues over it. */
const queuesOf = ({ waiting = 100, ...override }: Partial<InFlightLimits> & { readonly waiting?: number } = {}) => {
  const limiter = makeEndpointLimiter<string>({ ...limits, ...override })
  return { ...limiter, ...makeEndpointQueues(limiter, waiting) }
}

type TestQueues = ReturnType<typeof queuesOf>

/** Fills the endpoint's limit, and answers how many that took. */
const fill = (queues: TestQueues, key: EndpointKey) => {
  let entered = 0
  for (; queues.available(key) > 0; entered++) queues.enter(key)
  return entered
}

const takeAll = (queues: TestQueues) => {
  const taken: Array<string> = []
  for (let next = queues.take(); next !== undefined; next = queues.take()) taken.push(next)
  return taken
}

describe("endpoint queues and their limiter", () => {
  it("hold so many in all", () => {
    const queues = queuesOf({ total: 3 })
    let entered = 0
    for (let count = 0; count < 10; count++) entered += fill(queues, aKey())
    assert.strictEqual(entered, 3)
    assert.strictEqual(queues.free(), 0)
  })

  it("hand out in order however long one goes on without ever being empty", () => {
    const queues = queuesOf()
    const key = aKey()
    queues.offer(key, "0")
    for (let number = 1; number <= 5_000; number++) {
      queues.offer(key, String(number))
      assert.strictEqual(queues.take(), String(number - 1))
      queues.leave(key, true, false)
    }
    assert.deepStrictEqual(takeAll(queues), ["5000"])
  })

  it("are full one by one, each for its own endpoint alone", () => {
    const queues = queuesOf()
    const [one, two] = [aKey(), aKey()]
    assert.strictEqual(fill(queues, one), 4)
    assert.strictEqual(queues.available(two), 4)
    assert.deepStrictEqual(queues.endpointLimits(), new Map([[one.id, 0]]))
    queues.leave(one, true, false)
    assert.strictEqual(queues.available(one), 1)
  })

  it("give one organization half of all, and leave some for the next one", () => {
    const queues = queuesOf({ total: 64, perEndpoint: 64, perNewEndpoint: 64 })
    const organizationId = anId(OrganizationId)
    const first = fill(queues, aKey(organizationId)) + fill(queues, aKey(organizationId))
    assert.strictEqual(first, 32)
    assert.strictEqual(fill(queues, aKey()), 16)
    assert.strictEqual(fill(queues, aKey()), 8)
    for (let count = 0; count < 20; count++) fill(queues, aKey())
    assert.isAtMost(first, 32)
  })

  it("narrow to a probe after three failures without a success between them, and widen with the next success", () => {
    const queues = queuesOf()
    const key = aKey()
    const attempt = (succeeded: boolean) => {
      queues.enter(key)
      queues.leave(key, succeeded, false)
    }
    for (const succeeded of [false, false, true, false, false]) attempt(succeeded)
    assert.strictEqual(queues.available(key), 4)
    attempt(false)
    assert.strictEqual(FAILURES_TO_PROBING, 3)
    assert.strictEqual(queues.available(key), 1)
    assert.deepStrictEqual(queues.endpointLimits(), new Map([[key.id, 1]]))
    attempt(true)
    assert.strictEqual(queues.available(key), 4)
  })

  it("count nothing for what was not tried", () => {
    const queues = queuesOf()
    const key = aKey()
    for (let count = 0; count < 5; count++) {
      queues.enter(key)
      queues.leave(key, undefined, false)
    }
    assert.strictEqual(queues.available(key), 4)
  })

  it("narrow while something in them is slow, and let nothing wait there", () => {
    const queues = queuesOf()
    const key = aKey()
    queues.enter(key)
    assert.isTrue(queues.offer(key, "waits"))
    queues.slowed(key)
    assert.strictEqual(queues.available(key), 1)
    assert.isFalse(queues.offer(key, "does not"))
    assert.deepStrictEqual([...queues.evict(() => false)], ["waits"])
    queues.leave(key, true, true)
    assert.strictEqual(queues.available(key), 4)
  })

  it("begin narrow, widen with every success, and are narrow again after something slow", () => {
    const queues = queuesOf({ perEndpoint: 8, perNewEndpoint: 2 })
    const key = aKey()
    // Keeps the endpoint's limit known.
    queues.enter(key)
    assert.strictEqual(queues.available(key), 1)
    for (let successes = 1; successes <= 10; successes++) {
      queues.enter(key)
      queues.leave(key, true, false)
      assert.strictEqual(queues.available(key), Math.min(8, 2 + successes) - 1)
    }
    queues.enter(key)
    queues.slowed(key)
    queues.leave(key, true, true)
    assert.strictEqual(queues.available(key), 1)
  })

  it("begin narrow again once nothing is in flight", () => {
    const queues = queuesOf({ perNewEndpoint: 2 })
    const key = aKey()
    queues.enter(key)
    queues.enter(key)
    queues.leave(key, true, false)
    assert.strictEqual(queues.available(key), 2)
    queues.leave(key, true, false)
    assert.strictEqual(queues.available(key), 2)
  })

  it("remember who failed, however many others came and went", () => {
    const queues = queuesOf()
    for (let count = 0; count < 11_000; count++) {
      const key = aKey()
      queues.enter(key)
      queues.leave(key, true, false)
    }
    const failing = aKey()
    for (let failures = 0; failures < FAILURES_TO_PROBING; failures++) {
      queues.enter(failing)
      queues.leave(failing, false, false)
    }
    assert.strictEqual(queues.available(failing), 1)
  })

  it("give the places of what is slow to others, of the same organization too", () => {
    const queues = queuesOf({ total: 8, perEndpoint: 8, perNewEndpoint: 4 })
    const organizationId = anId(OrganizationId)
    const [hanging, prompt] = [aKey(organizationId), aKey(organizationId)]
    assert.strictEqual(fill(queues, hanging), 4)
    assert.strictEqual(queues.available(prompt), 0)
    for (let count = 0; count < 4; count++) queues.slowed(hanging)
    assert.strictEqual(queues.free(), 8)
    assert.strictEqual(queues.available(prompt), 4)
    assert.strictEqual(queues.available(hanging), 0)
    for (let count = 0; count < 4; count++) queues.leave(hanging, false, true)
    assert.strictEqual(queues.free(), 8)
  })

  it("give nothing to slow and failing endpoints, and little to unknown ones, while there are as many slow as places", () => {
    const queues = queuesOf({ total: 4, perNewEndpoint: 2 })
    const [slow, failing, known] = [aKey(), aKey(), aKey()]
    for (let count = 0; count < 3; count++) {
      queues.enter(failing)
      queues.leave(failing, false, false)
    }
    queues.enter(known)
    queues.enter(known)
    queues.leave(known, true, false)
    queues.leave(known, true, false)
    queues.enter(known)
    assert.strictEqual(queues.available(failing), 1)
    for (let count = 0; count < 4; count++) {
      const key = count === 0 ? slow : aKey()
      queues.enter(key)
      queues.slowed(key)
    }
    assert.strictEqual(queues.available(slow), 0)
    assert.strictEqual(queues.available(failing), 0)
    assert.strictEqual(queues.available(aKey()), 1)
  })

  it("let items above the limit wait, first come first, endpoints in turn", () => {
    const queues = queuesOf({ perEndpoint: 1 })
    const [one, two] = [aKey(), aKey()]
    for (const item of ["a", "b", "c"]) queues.offer(one, `one ${item}`)
    for (const item of ["a", "b"]) queues.offer(two, `two ${item}`)
    assert.strictEqual(queues.waiting(), 5)
    assert.sameMembers(takeAll(queues), ["one a", "two a"])
    queues.leave(one, true, false)
    assert.deepStrictEqual(takeAll(queues), ["one b"])
    queues.leave(two, true, false)
    queues.leave(one, true, false)
    assert.sameMembers(takeAll(queues), ["one c", "two b"])
    assert.strictEqual(queues.waiting(), 0)
  })

  it("come round to every endpoint for which something waits, however many there are", () => {
    const queues = queuesOf({ total: 1000, perEndpoint: 1, waiting: 10_000 })
    const keys = Array.from({ length: 200 }, () => aKey())
    for (const key of keys) {
      queues.enter(key)
      queues.offer(key, key.id)
    }
    const last = keys.at(-1)
    assert.isDefined(last)
    queues.leave(last, true, false)
    const looks = Array.from({ length: 20 }, () => queues.take())
    assert.deepStrictEqual(
      looks.filter((found) => found !== undefined),
      [last.id]
    )
  })

  it("share the room to wait as they share that to be in flight", () => {
    const queues = queuesOf({ perEndpoint: 1, waiting: 64 })
    const offered = (key: EndpointKey) => {
      let count = 0
      while (queues.offer(key, "x")) count++
      return count
    }
    assert.strictEqual(offered(aKey()), 32)
    assert.strictEqual(offered(aKey()), 16)
    assert.strictEqual(offered(aKey()), 8)
  })

  it("give up what has waited long enough, and keep the rest in order", () => {
    const queues = queuesOf({ perEndpoint: 1 })
    const [one, two] = [aKey(), aKey()]
    for (const item of ["old 1", "old 2", "new 3"]) queues.offer(one, item)
    queues.offer(two, "old 4")
    assert.deepStrictEqual([...queues.evict((item) => item.startsWith("old"))], ["old 1", "old 2", "old 4"])
    assert.strictEqual(queues.waiting(), 1)
    assert.deepStrictEqual(takeAll(queues), ["new 3"])
  })
})
