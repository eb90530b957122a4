import { createHook } from "node:async_hooks"
import { assert, describe, it } from "@effect/vitest"
import { giveBackMemory, keepTicksFast } from "../src/heap.ts"

const MEGABYTES = 1024 * 1024

/** Gives memory back while no tick is under way. */
const givenBack = () =>
  new Promise<void>((resolve) => {
    setTimeout(() => {
      giveBackMemory()
      setTimeout(resolve)
    })
  })

/** The objects that `process.nextTick` makes meanwhile, held by nobody. */
const ticksOf = (act: () => void): ReadonlyArray<WeakRef<object>> => {
  const ticks: Array<WeakRef<object>> = []
  const init = (_id: number, type: string, _trigger: number, one: object) => {
    if (type === "TickObject") ticks.push(new WeakRef(one))
  }
  const hook = createHook({ init }).enable()
  act()
  hook.disable()
  return ticks
}

const isThere = (tick: WeakRef<object>) => tick.deref() !== undefined

describe("the memory of a process", () => {
  it("is given back once what it was taken for is garbage", () => {
    const garbage = Array.from({ length: 500_000 }, (_, number) => ({ text: `number ${number}`, parts: [number] }))
    giveBackMemory()
    const taken = process.memoryUsage().heapUsed
    garbage.length = 0
    giveBackMemory()
    assert.isAbove(taken - process.memoryUsage().heapUsed, 20 * MEGABYTES)
  })

  it("has one tick in it from when they are to be kept fast, and none of the others", async () => {
    const kept = ticksOf(keepTicksFast)
    const others = ticksOf(() => process.nextTick(() => {}))
    await givenBack()
    assert.deepStrictEqual([kept.map(isThere), others.map(isThere)], [[true], [false]])
  })
})
