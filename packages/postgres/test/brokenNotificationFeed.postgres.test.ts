/** Feeds whose faults only transactions at once show: a suite that lets them through fails here. */
import { NotificationFeed } from "@agent-platform/feeds"
import { notificationFeedContract, notificationModelContract } from "@agent-platform/feeds/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bite } from "../../kernel/test/bite.ts"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

type Feed = NotificationFeed["Service"]

const layerOf = (broken: (sql: SqlClient.SqlClient, feed: Feed) => Partial<Feed>) =>
  Layer.effect(
    NotificationFeed,
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      return { ...feed, ...broken(yield* SqlClient.SqlClient, feed) }
    })
  ).pipe(Layer.provideMerge(postgres), Layer.merge(layerTenants), Layer.provideMerge(databaseLayer))

bite(
  "a feed that has all read up to the newest notice by its time",
  () =>
    notificationFeedContract(
      "times",
      layerOf((sql, feed) => {
        const marks = new Map<string, number>()
        return {
          markAllRead: (workspace) =>
            Effect.andThen(
              feed.markAllRead(workspace),
              Effect.map(feed.read(workspace), ({ items }) =>
                marks.set(workspace.workspaceId, Math.max(0, ...items.map((item) => item.createdAt.epochMilliseconds)))
              )
            ),
          read: (workspace, filter) =>
            Effect.gen(function* () {
              const reading = yield* feed.read(workspace, filter)
              const mark = marks.get(workspace.workspaceId) ?? 0
              const [older] = yield* Effect.orDie(sql<{ readonly count: bigint }>`
                select count(*) as count from notification where number is null
                  and organization_id = ${workspace.organizationId} and workspace_id = ${workspace.workspaceId}
                  and created_at < ${new Date(mark)}
              `)
              const items = reading.items.map((item) =>
                item.createdAt.epochMilliseconds < mark ? { ...item, read: true } : item
              )
              return { ...reading, items, unreadCount: reading.unreadCount - Number(older?.count ?? 0) }
            })
        }
      })
    ),
  ["leaves a notice unread that is committed after all were marked, however early it was made"]
)

bite(
  "a feed that counts in one statement and shows in another",
  () =>
    notificationModelContract(
      "two statements",
      layerOf((_, feed) => ({
        read: (workspace) =>
          Effect.gen(function* () {
            const { unreadCount } = yield* feed.read(workspace)
            return { ...(yield* feed.read(workspace)), unreadCount }
          })
      })),
      { runs: 3, seed: 1 }
    ),
  ["are counted right at every moment while many post, mark, mark all and file at once"]
)
