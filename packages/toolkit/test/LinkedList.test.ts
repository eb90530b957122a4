import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ListNode, makeLinkedList } from "../src/LinkedList.ts"

describe("a linked list", () => {
  it("holds items in the order in which they came", () => {
    const list = makeLinkedList<number>()
    for (const item of [3, 1, 2]) list.add(item)
    assert.deepStrictEqual([...list.items()], [3, 1, 2])
    assert.strictEqual(list.first()?.item, 3)
    assert.strictEqual(list.size(), 3)
  })

  it("gives up an item once, however often it is taken out", () => {
    const list = makeLinkedList<string>()
    const node = list.add("one")
    list.add("two")
    list.remove(node)
    list.remove(node)
    assert.deepStrictEqual([...list.items()], ["two"])
    assert.strictEqual(list.size(), 1)
  })

  it("lets the item be taken out that is looked at", () => {
    const list = makeLinkedList<number>()
    const nodes = new Map([1, 2, 3, 4].map((item) => [item, list.add(item)]))
    const seen: Array<number> = []
    for (const item of list.items()) {
      seen.push(item)
      const node = nodes.get(item)
      if (item % 2 === 0 && node !== undefined) list.remove(node)
    }
    assert.deepStrictEqual(seen, [1, 2, 3, 4])
    assert.deepStrictEqual([...list.items()], [1, 3])
  })

  it.prop(
    "holds what an array would, whatever is added and taken out",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -8, maximum: 8 })))],
    ([steps]) => {
      const list = makeLinkedList<number>()
      const model: Array<ListNode<number>> = []
      for (const [index, step] of steps.entries()) {
        // A number below zero takes out the one that is that far down the list.
        const leaving = step < 0 ? model[-step - 1] : undefined
        if (leaving === undefined) model.push(list.add(index))
        else {
          list.remove(leaving)
          model.splice(model.indexOf(leaving), 1)
        }
      }
      assert.deepStrictEqual(
        [...list.items()],
        model.map(({ item }) => item)
      )
      assert.strictEqual(list.size(), model.length)
      assert.strictEqual(list.first(), model[0])
    }
  )
})
