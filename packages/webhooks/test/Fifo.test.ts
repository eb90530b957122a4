import { assert, describe, it } from "@effect/vitest"
import { makeFifo } from "../src/worker/Fifo.ts"

describe("a fifo", () => {
  it("hands out in order what was pushed, and nothing once it is empty", () => {
    const fifo = makeFifo<number>()
    assert.isUndefined(fifo.shift())
    for (const item of [1, 2, 3]) fifo.push(item)
    assert.strictEqual(fifo.peek(), 1)
    assert.deepStrictEqual([fifo.shift(), fifo.shift(), fifo.size()], [1, 2, 1])
    assert.deepStrictEqual([fifo.shift(), fifo.shift(), fifo.peek(), fifo.size()], [3, undefined, undefined, 0])
  })

  it("keeps its order however long it is never empty", () => {
    const fifo = makeFifo<number>()
    fifo.push(0)
    for (let item = 1; item <= 5_000; item++) {
      fifo.push(item)
      assert.strictEqual(fifo.shift(), item - 1)
    }
    assert.strictEqual(fifo.size(), 1)
  })
})
