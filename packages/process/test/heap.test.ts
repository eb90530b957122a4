import { assert, describe, it } from "@effect/vitest"
import { giveBackMemory } from "../src/heap.ts"

const MEGABYTES = 1024 * 1024

describe("the memory of a process", () => {
  it("is given back once what it was taken for is garbage", () => {
    const garbage = Array.from({ length: 500_000 }, (_, number) => ({ text: `number ${number}`, parts: [number] }))
    giveBackMemory()
    const taken = process.memoryUsage().heapUsed
    garbage.length = 0
    giveBackMemory()
    assert.isAbove(taken - process.memoryUsage().heapUsed, 20 * MEGABYTES)
  })
})
