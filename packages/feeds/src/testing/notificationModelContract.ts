import type { NotificationId } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Arbitrary, Effect, type Layer, Schema } from "effect"
import { type FeedWorkspace, ownersOf } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import {
  atomic,
  filed,
  markAllRead,
  markRead,
  type NotificationFeedContractPorts,
  posted,
  postedToAll,
  read,
  walked,
  workspaces
} from "./givenNotices.ts"

const workspace = Schema.Literals(["one", "two", "foreign"])
const notice = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

/** One act of somebody. A post comes twice as often as each other. Numbers of notices are taken modulo how many there are. */
const FeedAct = Schema.Union([
  Schema.Struct({ act: Schema.Literal("post"), workspace, shared: Schema.Boolean }),
  Schema.Struct({ act: Schema.Literal("post"), workspace, shared: Schema.Boolean }),
  Schema.Struct({ act: Schema.Literal("mark"), workspace, notices: Schema.Array(notice) }),
  Schema.Struct({ act: Schema.Literal("markAll"), workspace }),
  Schema.Struct({
    act: Schema.Literal("file"),
    workspace,
    max: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }))
  })
])
type FeedAct = typeof FeedAct.Type

type World = Effect.Success<typeof workspaces>

const perform = Effect.fnUntraced(function* (world: World, ids: Array<NotificationId>, act: FeedAct) {
  const feed = yield* NotificationFeed
  const acting = world[act.workspace]
  switch (act.act) {
    case "post":
      ids.push((yield* act.shared ? postedToAll(acting) : posted(acting)).id)
      return
    case "mark":
      if (ids.length > 0) yield* markRead(acting, ...act.notices.map((number) => ({ id: ids[number % ids.length]! })))
      return
    case "markAll":
      return yield* markAllRead(acting)
    case "file":
      for (const owner of ownersOf(acting)) yield* atomic(feed.file(owner, act.max))
  }
})

/** The notices of every workspace in the simplest form: each notice, and whether it is read. */
class FeedModel {
  readonly seen = new Map<string, Map<NotificationId, boolean>>([
    ["one", new Map()],
    ["two", new Map()],
    ["foreign", new Map()]
  ])

  private see(name: string) {
    return this.seen.get(name) ?? new Map<NotificationId, boolean>()
  }

  apply(act: FeedAct, ids: ReadonlyArray<NotificationId>) {
    if (act.act === "post") {
      const reached = !act.shared ? [act.workspace] : act.workspace === "foreign" ? ["foreign"] : ["one", "two"]
      for (const name of reached) this.see(name).set(ids.at(-1)!, false)
    } else if (act.act === "mark" && ids.length > 0) {
      const mine = this.see(act.workspace)
      for (const number of act.notices)
        if (mine.has(ids[number % ids.length]!)) mine.set(ids[number % ids.length]!, true)
    } else if (act.act === "markAll") {
      const mine = this.see(act.workspace)
      for (const id of mine.keys()) mine.set(id, true)
    }
  }
}

const holds = Effect.fnUntraced(function* (acts: ReadonlyArray<FeedAct>) {
  const world = yield* workspaces
  const model = new FeedModel()
  const ids: Array<NotificationId> = []
  for (const act of acts) {
    yield* perform(world, ids, act)
    model.apply(act, ids)
    for (const [name, expected] of model.seen) {
      const { items, unreadCount } = yield* read(world[name as keyof World])
      assert.strictEqual(unreadCount, [...expected.values()].filter((isRead) => !isRead).length)
      assert.sameDeepMembers(
        items.map((item) => [item.id, item.read]),
        [...expected]
      )
    }
  }
  return true
})

/** Asserts that one reading agrees with itself: its count with its notices, as long as all of them are shown. */
const agrees = Effect.fnUntraced(function* (of: FeedWorkspace) {
  const { items, unreadCount } = yield* read(of)
  assert.strictEqual(unreadCount, items.filter((item) => !item.read).length)
})

/**
 * After acts in any order, or at once, the count is that of the unread notices. `runs` sequences of up to 30 acts are tried,
 * others each time unless there is a `seed`; a failure is shrunk, and printed with the way to replay it.
 */
export const notificationModelContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<NotificationFeedContractPorts, E>,
  options: { readonly runs: number; readonly seed?: number }
) =>
  describe(`notifications over ${adapter}, whatever happens to them`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect(
        "are what the model says, after every post, mark and filing",
        () =>
          Effect.gen(function* () {
            const acts = Arbitrary.array(Arbitrary.schema(FeedAct), { minLength: 1, maxLength: 30 })
            const property = (some: ReadonlyArray<FeedAct>) =>
              Effect.catchDefect(holds(some), (defect) => Effect.fail(String(defect)))
            const result = yield* Arbitrary.checkEffect(acts, property, { size: 100, ...options })
            assert.isUndefined(Arbitrary.formatCheckFailure(result))
          }),
        60_000
      )

      it.effect(
        "are counted right at every moment while many post, mark, mark all and file at once",
        () =>
          Effect.gen(function* () {
            const feed = yield* NotificationFeed
            const { one, two } = yield* workspaces
            const known: Array<{ readonly id: NotificationId }> = []
            const post = (number: number) =>
              Effect.map(number % 4 === 0 ? postedToAll(one) : posted(number % 4 === 1 ? two : one), (made) =>
                known.push(made)
              )
            const doings: ReadonlyArray<Effect.Effect<unknown, never, NotificationFeedContractPorts>> = [
              ...Array.from({ length: 24 }, (_, number) => post(number)),
              ...Array.from({ length: 10 }, () => Effect.suspend(() => markRead(one, ...known.slice(-3)))),
              ...Array.from({ length: 10 }, () => Effect.suspend(() => markRead(two, ...known.slice(0, 3)))),
              ...Array.from({ length: 3 }, () => markAllRead(one)),
              markAllRead(two),
              ...Array.from({ length: 6 }, () => Effect.forEach(ownersOf(one), (owner) => atomic(feed.file(owner, 5)))),
              ...Array.from({ length: 12 }, (_, number) => agrees(number % 2 === 0 ? one : two))
            ]
            // Another order each round, so that each kind of doing meets each other.
            for (let round = 0; round < 2; round++) {
              const shuffled = doings.map((_, index) => doings[(index * 37 + round * 11) % doings.length]!)
              yield* Effect.forEach(shuffled, (doing) => doing, { concurrency: 12, discard: true })
              for (const each of [one, two]) yield* agrees(each)
            }
            for (const each of [one, two]) {
              yield* filed(each)
              const { arrivals } = yield* walked(each)
              const { unreadCount } = yield* read(each)
              assert.strictEqual(unreadCount, arrivals.filter(({ notification }) => !notification.read).length)
            }
            yield* markAllRead(one)
            assert.strictEqual((yield* read(one)).unreadCount, 0)
          }),
        60_000
      )
    })
  })
