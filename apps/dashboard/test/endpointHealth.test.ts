/** How an endpoint is, by the attempts of its latest deliveries. */
import { assert, describe, it } from "vitest"
import { answerOf, healthOf } from "../src/screens/webhooks/healthOf.ts"

const attempt = (minute: number, response_code: number | null) => ({
  number: 1,
  attempted_at: `2026-11-26T10:0${minute}:00.000Z`,
  duration_ms: 1,
  response_code,
  error: response_code === null ? "connection refused" : null,
  response_excerpt: null,
  remote_ip: null
})

describe("the health of an endpoint", () => {
  it("is that of its newest attempt, whichever delivery that belongs to", () => {
    // The newest event arrived before an older one was tried again.
    const health = healthOf([
      { attempts: [attempt(4, 200)] },
      { attempts: [attempt(1, 200), attempt(5, 503), attempt(6, null)] }
    ])
    assert.strictEqual(health.last && answerOf(health.last), "connection refused")
    assert.deepInclude(health, { failures: 2, noneArrived: false })
  })

  it("has no failure once something has arrived, and is open where nothing has", () => {
    assert.deepInclude(healthOf([{ attempts: [attempt(1, 503), attempt(2, 204)] }]), {
      failures: 0,
      noneArrived: false
    })
    assert.deepInclude(healthOf([{ attempts: [attempt(1, 302)] }]), { failures: 1, noneArrived: true })
    assert.deepInclude(healthOf([{ attempts: [] }]), { last: undefined, failures: 0 })
  })
})
