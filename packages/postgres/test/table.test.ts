/** Column tables: names for statements, and entities read from rows. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { bigint, json, money, named, nullable, text, texts, timestamptz, uuid } from "../src/columnTypes.ts"
import { group, makeTable, nullableGroup } from "../src/table.ts"

interface Order {
  readonly id: string
  readonly placedAt: DateTime.Utc
  readonly totalUsd: string | null
  readonly tags: ReadonlyArray<string>
  readonly buyer: { readonly kind: string; readonly id: string | null }
  readonly refund: { readonly reason: string; readonly tokens: number } | null
}

const orders = makeTable<Order>("purchase", {
  id: uuid(),
  placedAt: timestamptz(),
  totalUsd: nullable(money()),
  tags: texts(),
  buyer: group("buyer_", { kind: text(), id: nullable(text()) }),
  refund: nullableGroup("", { reason: named("refund_reason", text()), tokens: bigint() })
})

const ROW = {
  id: "7",
  placed_at: new Date(0),
  total_usd: "1.500000000000",
  tags: ["a"],
  buyer_kind: "person",
  buyer_id: null,
  refund_reason: null,
  tokens: null
}

describe("a table", () => {
  it("names its columns for every statement", () => {
    assert.strictEqual(orders.names, "id, placed_at, total_usd, tags, buyer_kind, buyer_id, refund_reason, tokens")
    assert.strictEqual(
      orders.pick("buyer").each((column) => `sum(${column}) as ${column}`),
      "sum(buyer_kind) as buyer_kind, sum(buyer_id) as buyer_id"
    )
    assert.strictEqual(orders.pick("buyer").selected, "purchase.buyer_kind, purchase.buyer_id")
    assert.strictEqual(
      orders.pick("id", "refund").assignedFrom("changed"),
      "id = changed.id, refund_reason = changed.refund_reason, tokens = changed.tokens"
    )
    assert.strictEqual(
      orders.omit("id", "placedAt", "tags", "buyer", "refund").with({ note: json<string>() }).names,
      "total_usd, note"
    )
  })

  it("names its columns in a column that holds a whole row", () => {
    assert.strictEqual(
      orders.as("bought").pick("id", "totalUsd").composed,
      "(bought).id as bought_id, (bought).total_usd as bought_total_usd"
    )
  })

  it("reads an entity, beside another table's too", () => {
    const order = {
      id: "7",
      placedAt: DateTime.makeUnsafe(0),
      totalUsd: "1.50",
      tags: ["a"],
      buyer: { kind: "person", id: null },
      refund: null
    }
    assert.deepStrictEqual(orders.read(ROW), order)
    assert.deepStrictEqual(orders.readFirst([ROW, { ...ROW, id: "8" }]), order)
    assert.isUndefined(orders.readFirst([]))
    assert.deepStrictEqual(orders.readAll([ROW, { ...ROW, id: "8" }]), [order, { ...order, id: "8" }])
    const refunded = { ...order, refund: { reason: "broken", tokens: 3 } }
    const row = { ...ROW, refund_reason: "broken", tokens: 3n }
    assert.deepStrictEqual(orders.read(row), refunded)
    // A sum of counts is a numeric, which the client reads as text.
    assert.deepStrictEqual(orders.read({ ...row, tokens: "3" }), refunded)
    const prefixed = (of: object) =>
      Object.fromEntries(Object.entries(of).map(([name, value]) => [`purchase_${name}`, value]))
    assert.deepStrictEqual(orders.readPrefixed(prefixed(row)), refunded)
    assert.deepStrictEqual(orders.readPrefixed(prefixed(ROW)), order)
  })
})
