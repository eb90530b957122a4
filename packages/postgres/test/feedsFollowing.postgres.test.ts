/** Following notices that other processes post, many at once. */
import { type FeedPlace, Feeds, type FeedWorkspace } from "@agent-platform/feeds"
import { FeedLog, UnitOfWork } from "@agent-platform/kernel"
import { aCaller, aNotification, aTenant } from "@agent-platform/kernel/testing"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Redacted, Stream } from "effect"
import { freshDatabase } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

/** The services of one process, over connections of its own. */
const processOver = (url: Redacted.Redacted) =>
  Feeds.layer.pipe(
    Layer.provideMerge(Layer.merge(postgres, layerTenants)),
    Layer.provideMerge(layerClient({ url, maxConnections: 6, applicationName: "agent-platform-test" })),
    Layer.fresh
  )

const POSTERS = 5
const POSTS_EACH = 8

/** Posts from several transactions at once, of which some commit long after later ones. */
const posts = (workspace: FeedWorkspace) =>
  Effect.gen(function* () {
    const [log, unit] = [yield* FeedLog, yield* UnitOfWork]
    const { organizationId } = workspace
    const post = Effect.fnUntraced(function* (poster: number, number: number) {
      const notice = aNotification({ ...workspace, ...(number % 3 === 0 ? { organizationId, workspaceId: null } : {}) })
      const lingering = Effect.sleep(poster === 0 ? "20 millis" : "1 millis")
      yield* unit.atomic(Effect.andThen(log.notify(notice), lingering))
      return notice.id
    })
    const all = yield* Effect.forEach(
      Array.from({ length: POSTERS }, (_, poster) => poster),
      (poster) =>
        Effect.forEach(
          Array.from({ length: POSTS_EACH }, (_, number) => number),
          (number) => post(poster, number)
        ),
      { concurrency: "unbounded" }
    )
    return all.flat()
  })

const followed = (workspace: FeedWorkspace, after: FeedPlace | undefined, count: number) =>
  Feeds.use((feeds) => feeds.followNotifications({ caller: aCaller(workspace), after })).pipe(
    Effect.orDie,
    Effect.map(({ arrivals }) => Stream.runCollect(Stream.take(arrivals, count)))
  )

describe("following notices over Postgres", () => {
  it.live("gives each of them once to every process, from any process, and goes on in another", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const [one, two, three] = [
          yield* Layer.build(processOver(url)),
          yield* Layer.build(processOver(url)),
          yield* Layer.build(processOver(url))
        ]
        const workspace = yield* Effect.provideContext(aTenant(), one)
        const count = POSTERS * POSTS_EACH
        const reading = yield* Effect.provideContext(followed(workspace, undefined, count), two)
        const beside = yield* Effect.provideContext(followed(workspace, undefined, count), three)
        const fibers = [yield* Effect.forkScoped(reading), yield* Effect.forkScoped(beside)]
        const posted = yield* Effect.provideContext(posts(workspace), one)
        const [seen, seenBeside] = [yield* Fiber.join(fibers[0]!), yield* Fiber.join(fibers[1]!)]
        const ids = (arrivals: typeof seen) => arrivals.map(({ notification }) => notification.id)
        assert.sameMembers(ids(seen), posted)
        assert.sameMembers(ids(seenBeside), posted)
        const half = Math.floor(count / 2)
        const rest = yield* Effect.provideContext(
          Effect.flatten(followed(workspace, seen[half - 1]?.place, count - half)),
          three
        )
        assert.sameMembers(ids(rest), ids(seen.slice(half)))
      })
    )
  )
})
