import { Feeds, fileNotices, forgetOld } from "@agent-platform/feeds"
import {
  ActivityId,
  type ActivityRecord,
  atomic,
  FeedLog,
  freshId,
  NotificationId,
  type NotificationType,
  WorkspaceId
} from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { everySeconds } from "../internal/chores.ts"
import { dateOf } from "../internal/dates.ts"
import { migrate } from "../internal/migrate.ts"
import { makeEmbeddedRuntime } from "../internal/runtime.ts"
import { requireTenant, tenantId, uuidOf } from "../internal/tenant.ts"
import type { Activity, EmbeddedFeeds, Notification, Reader } from "./EmbeddedFeeds.ts"
import { readActivity, readActivityPage, readMarked, readNotification } from "./inputs.ts"
import { layerOf } from "./layers.ts"
import { type FeedsOptions, type FeedsSettings, readOptions } from "./options.ts"

/** How often the background work is done, as in the platform. */
const FILE_SECONDS = 60
const FORGET_SECONDS = 24 * 3_600

const startBackground = Effect.fnUntraced(function* ({ activityDays, notificationDays }: FeedsSettings) {
  yield* everySeconds(FILE_SECONDS, "Filing notifications", fileNotices())
  yield* everySeconds(FORGET_SECONDS, "Forgetting old feeds", forgetOld({ activityDays, notificationDays }))
})

const actor = { type: "system", id: "host", label: "host" } as const

/**
 * The reader of a tenant, who is a workspace to the domain: that is what feeds and marks belong to. The id follows from both names, so that
 * two tenants may call their readers the same.
 */
const readerOf = (tenant: string, reader: string | undefined): WorkspaceId => {
  if (reader !== undefined) requireTenant(reader, "reader")
  return WorkspaceId.make(uuidOf(tenantId(tenant), reader === undefined ? "" : `reader ${reader}`))
}

const callerFor = (tenant: string, { reader }: Reader = {}) => ({
  organizationId: tenantId(tenant),
  workspaceId: readerOf(tenant, reader),
  actor
})

const activityOf = (entry: ActivityRecord): Activity => ({
  id: entry.id,
  actor: { ...entry.actor },
  action: entry.action,
  summary: entry.summary,
  resource: { type: entry.resourceType, id: entry.resourceId },
  data: { ...entry.payload },
  createdAt: dateOf(entry.createdAt)
})

/** The domains whose tables are in the schema. */
const DOMAINS = ["feeds"] as const

/**
 * Notifications and activity for the tenants of a service. Throws `EmbedError` (`option_invalid`, `database_invalid`,
 * `schema_invalid`) where an option cannot be used; nothing connects before the first call. See `packages/embed/README.md`.
 */
export const createFeeds = (options: FeedsOptions): EmbeddedFeeds => {
  const settings = readOptions(options)
  const { installation } = settings
  const runtime = makeEmbeddedRuntime({
    layer: layerOf(settings),
    background: startBackground(settings),
    translate: () => undefined,
    installation,
    domains: DOMAINS
  })
  const { close, runIn, start } = runtime

  const list: EmbeddedFeeds["notifications"]["list"] = async (tenant, { client, ...reader } = {}) => {
    const caller = callerFor(tenant, reader)
    const read = Feeds.use((feeds) => feeds.readNotifications({ caller }))
    const { items, unreadCount } = await runIn(client, read)
    const shown = items.map(
      ({ body, createdAt, id, payload, read, title, type, workspaceId }): Notification => ({
        id,
        type,
        title,
        body,
        data: { ...payload },
        toAll: workspaceId === null,
        read,
        createdAt: dateOf(createdAt)
      })
    )
    return { items: shown, unreadCount }
  }

  return {
    migrate: () => migrate(installation, DOMAINS),
    start,
    close,
    [Symbol.asyncDispose]: close,

    notifications: {
      post: async (given, { client } = {}) => {
        const { reader, tenant } = given
        const { type, ...notice } = readNotification(given)
        const owner = {
          organizationId: tenantId(tenant),
          workspaceId: reader === undefined ? null : readerOf(tenant, reader)
        }
        const posted = Effect.gen(function* () {
          const log = yield* FeedLog
          const [id, createdAt] = [yield* freshId(NotificationId), yield* DateTime.now]
          // A host has types of its own. The log takes any, though it declares those of the platform; hence the cast.
          yield* log.notify({ id, createdAt, ...owner, type: type as NotificationType, about: null, ...notice })
          return id
        })
        return runIn(client, atomic(posted))
      },
      list,
      unreadCount: async (tenant, options) => (await list(tenant, options)).unreadCount,
      markRead: async (tenant, given, { client, ...reader } = {}) => {
        const command = { caller: callerFor(tenant, reader), which: readMarked(given) }
        return runIn(
          client,
          Feeds.use((feeds) => feeds.markRead(command))
        )
      }
    },

    activity: {
      record: async (given, { client } = {}) => {
        const organizationId = tenantId(given.tenant)
        const act = readActivity(given)
        const recorded = Effect.gen(function* () {
          const log = yield* FeedLog
          const [id, createdAt] = [yield* freshId(ActivityId), yield* DateTime.now]
          yield* log.record({ id, createdAt, organizationId, workspaceId: null, ...act })
          return id
        })
        return runIn(client, atomic(recorded))
      },
      list: async (tenant, page = {}, { client } = {}) => {
        const query = { caller: callerFor(tenant), includesOrganization: true, ...readActivityPage(page) }
        const { items, next } = await runIn(
          client,
          Feeds.use((feeds) => feeds.listActivity(query))
        )
        return { items: items.map(activityOf), next }
      }
    }
  }
}
