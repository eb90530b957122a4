/** When the attempt of a token lasts. */
import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import type { Run } from "../src/Run.ts"
import { lasts } from "../src/use-cases/awaitAttemptOver.ts"

const running = { status: "running", attempt: 2, cancelRequestedAt: null } as Run
const is = (changes: Partial<Run>, attempt = 2) => lasts({ ...running, ...changes } as Run, attempt)

describe("an attempt", () => {
  it("lasts while its run is executed under its number and is not to be cancelled", () => {
    assert.isTrue(is({}))
    assert.isFalse(is({}, 1))
    assert.isFalse(is({}, 3))
    assert.isFalse(is({ status: "queued" }))
    assert.isFalse(is({ status: "succeeded" }))
    assert.isFalse(is({ cancelRequestedAt: DateTime.makeUnsafe(0) }))
  })
})
