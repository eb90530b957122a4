/** The answer of a batch about its runs when its transaction is undone. */
import { Signals } from "@agent-platform/kernel"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { claimInWorkspaceOf } from "../src/testing/givenRuns.ts"
import { makeWriteApart } from "../src/worker/writeApart.ts"
import { aStoredAgent, memory, trigger } from "./support.ts"

it.effect("a checkpoint counts as saved only where its transaction was committed", () =>
  Effect.gen(function* () {
    const signals = yield* Signals
    const run = yield* trigger(yield* aStoredAgent())
    const claimed = yield* claimInWorkspaceOf(run)
    const mine = {
      claimed: claimed[0]!,
      events: [],
      bytes: 0,
      settling: undefined,
      toSave: { state: { step: 1 }, kept: false },
      isSaved: false,
      lost: false,
      written: Deferred.makeUnsafe<void>(),
      refused: () => {},
      done: () => {}
    }
    const write = Effect.suspend(() => makeWriteApart()([mine]))
    const broken = Signals.of({ ...signals, raise: () => Effect.die(new TypeError("Not ours")) })
    yield* Effect.provideService(write, Signals, broken)
    assert.isFalse(mine.isSaved)
    yield* write
    assert.isTrue(mine.isSaved)
  }).pipe(Effect.provide(memory()))
)
