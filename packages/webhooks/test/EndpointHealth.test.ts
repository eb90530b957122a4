import { OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { type EndpointHealth, EndpointId } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { type EndpointObservation, judge, observe } from "../src/EndpointHealth.ts"

const START = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const hours = (count: number) => DateTime.add(START, { hours: count })

const health = (override: Partial<EndpointHealth> = {}): EndpointHealth => ({
  organizationId: anId(OrganizationId),
  endpointId: anId(EndpointId),
  status: "active",
  failingSince: null,
  deadNoticeAt: null,
  ...override
})

const failure = (at: DateTime.Utc, exhausted = 0): EndpointObservation => ({
  succeededAt: null,
  failedAt: at,
  exhausted
})

const success = (at: DateTime.Utc): EndpointObservation => ({ succeededAt: at, failedAt: null, exhausted: 0 })

const attempt = (at: number, succeeded: boolean, exhausted = false) => ({ endedAt: hours(at), succeeded, exhausted })

describe("what a batch says about an endpoint", () => {
  it("is the first failure after the last success", () => {
    const attempts = [attempt(1, false), attempt(2, true), attempt(3, false, true), attempt(4, false, true)]
    const observed = attempts.reduce<EndpointObservation | undefined>(observe, undefined)
    assert.deepStrictEqual(observed, { succeededAt: hours(2), failedAt: hours(3), exhausted: 2 })
  })

  it("is no failure when a success came last", () => {
    const observed = [attempt(1, false), attempt(2, true)].reduce<EndpointObservation | undefined>(observe, undefined)
    assert.deepStrictEqual(observed, { succeededAt: hours(2), failedAt: null, exhausted: 0 })
  })
})

describe("an endpoint's health", () => {
  it("dates from the first failure, and not from later ones", () => {
    const first = judge(health(), failure(hours(0)), hours(0))
    assert.deepStrictEqual(first.health.failingSince, hours(0))
    const second = judge(first.health, failure(hours(5)), hours(5))
    assert.deepStrictEqual(second.health.failingSince, hours(0))
    assert.isFalse(second.disable)
  })

  it("is restored by a success", () => {
    const { disable, health: after } = judge(health({ failingSince: hours(0) }), success(hours(200)), hours(200))
    assert.isNull(after.failingSince)
    assert.isFalse(disable)
  })

  it("dates from the failure after a success where one batch had both", () => {
    const observation = { succeededAt: hours(1), failedAt: hours(2), exhausted: 0 }
    const { health: after } = judge(health({ failingSince: hours(0) }), observation, hours(2))
    assert.deepStrictEqual(after.failingSince, hours(2))
  })

  it.each([
    [119.99, false],
    [120, true],
    [500, true]
  ])("after %d hours of failures disables the endpoint: %s", (after, disable) => {
    const change = judge(health({ failingSince: hours(0) }), failure(hours(after)), hours(after))
    assert.strictEqual(change.disable, disable)
  })

  it("begins anew when the endpoint is disabled, for when it is enabled again", () => {
    const { health: after } = judge(health({ failingSince: hours(0) }), failure(hours(121)), hours(121))
    assert.isNull(after.failingSince)
  })

  it.each(["disabled", "deleted"] as const)("of one that is %s says nothing", (status) => {
    const before = health({ status, failingSince: hours(0) })
    assert.deepStrictEqual(judge(before, failure(hours(500), 3), hours(500)), {
      health: before,
      disable: false,
      notifyDead: false
    })
  })

  it("has dead deliveries notified at once, and again no sooner than an hour later", () => {
    const first = judge(health(), failure(hours(1), 2), hours(1))
    assert.isTrue(first.notifyDead)
    assert.isFalse(judge(first.health, failure(hours(1.5), 400), hours(1.5)).notifyDead)
    const third = judge(first.health, failure(hours(2), 1), hours(2))
    assert.isTrue(third.notifyDead)
    assert.deepStrictEqual(third.health.deadNoticeAt, hours(2))
  })

  it("has nothing notified where failures have retries left", () => {
    assert.isFalse(judge(health(), failure(hours(1)), hours(1)).notifyDead)
  })
})
