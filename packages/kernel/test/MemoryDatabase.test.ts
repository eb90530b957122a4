/** Tables in memory, held to a model that copies all of them for every transaction. */
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** A change of a row, or the beginning of a transaction, or the end of the innermost one. */
const Token = Schema.Struct({
  kind: Schema.Literals(["put", "put", "remove", "begin", "commit", "fail"]),
  key: Schema.Literals(["a", "b", "c", "d"]),
  row: Schema.Literals([1, 2, 3])
})

type Step =
  | { readonly kind: "put"; readonly key: string; readonly row: number }
  | { readonly kind: "remove"; readonly key: string; readonly row: number }
  | { readonly kind: "atomic"; readonly steps: ReadonlyArray<Step>; readonly fails: boolean }

/** The steps that tokens are, up to the end of the transaction that has begun. */
const stepsOf = (tokens: Iterator<typeof Token.Type>): { readonly steps: Array<Step>; readonly fails: boolean } => {
  const steps: Array<Step> = []
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    const { kind, key, row } = next.value
    if (kind === "put" || kind === "remove") steps.push({ kind, key, row })
    else if (kind === "begin") steps.push({ kind: "atomic", ...stepsOf(tokens) })
    else return { steps, fails: kind === "fail" }
  }
  return { steps, fails: false }
}

/** The rows after steps, each state that is seen on the way noted. */
const modelled = (before: ReadonlyMap<string, number>, all: ReadonlyArray<Step>, seen: Array<unknown>) => {
  let rows = new Map(before)
  for (const step of all) {
    if (step.kind === "put") rows.set(step.key, step.row)
    else if (step.kind === "remove") rows.delete(step.key)
    else {
      const after = modelled(rows, step.steps, seen)
      if (!step.fails) rows = after
    }
    seen.push([...rows.values()], rows.get("a"), [...rows.values()].filter((row) => row === 1).length)
  }
  return rows
}

it.effect.prop(
  "shows inside and outside of transactions the rows that a copy of the tables has",
  [Schema.Array(Token).check(Schema.isMinLength(8))],
  ([tokens]) =>
    Effect.gen(function* () {
      const { atomic, table } = yield* MemoryDatabase
      const rows = table<number>("numbers")
      yield* atomic(rows.put("a", 1))
      const those = rows.by(String)
      const seen: Array<unknown> = []
      const done = (all: ReadonlyArray<Step>): Effect.Effect<void> =>
        Effect.forEach(
          all,
          (step) =>
            Effect.gen(function* () {
              if (step.kind === "put") yield* atomic(rows.put(step.key, step.row))
              else if (step.kind === "remove") yield* atomic(rows.remove(step.key))
              else {
                const end = step.fails ? Effect.fail("refused") : Effect.void
                yield* Effect.exit(atomic(Effect.andThen(done(step.steps), end)))
              }
              seen.push(yield* rows.all, yield* rows.get("a"), (yield* those("1")).length)
            }),
          { discard: true }
        )
      const { steps } = stepsOf(tokens.values())
      steps.push({ kind: "atomic", steps: [...steps], fails: false })
      const expected: Array<unknown> = []
      const model = modelled(new Map([["a", 1]]), steps, expected)
      yield* done(steps)
      assert.deepStrictEqual(seen, expected)
      assert.deepStrictEqual(yield* rows.all, [...model.values()])
      for (const row of [1, 2, 3]) {
        assert.deepStrictEqual(
          yield* those(String(row)),
          [...model.values()].filter((one) => one === row)
        )
      }
    }).pipe(Effect.provide(MemoryDatabase.layer)),
  { arbitrary: { runs: 1_000 } }
)
