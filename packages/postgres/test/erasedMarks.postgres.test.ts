/** A dry run of an erasure counts each mark of a notice once, with the workspace that made it. */
import { FeedEraser, NotificationFeed } from "@agent-platform/feeds"
import { atomic, FeedLog } from "@agent-platform/kernel"
import { aNotification, aTenant } from "@agent-platform/kernel/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = layerTenants.pipe(Layer.provideMerge(postgres), Layer.provideMerge(databaseLayer))

suite(layer, { excludeTestServices: true })("marks of notices", (it) => {
  it.effect("are counted once, by their workspace, though they go with the notices of the organization, too", () =>
    Effect.gen(function* () {
      const workspace = yield* aTenant()
      const { organizationId, workspaceId } = workspace
      const [own, shared] = [aNotification(workspace), aNotification({ organizationId, workspaceId: null })]
      yield* atomic(FeedLog.use((log) => log.notify(own, shared, aNotification(workspace))))
      const feed = yield* NotificationFeed
      yield* atomic(feed.file({ organizationId, workspaceId }, 10))
      yield* atomic(feed.file({ organizationId, workspaceId: null }, 10))
      yield* atomic(feed.markRead(workspace, [own.id, shared.id]))
      const eraser = yield* FeedEraser
      const ofWorkspace = { _tag: "Tenant", organizationId, workspaceId } as const
      const ofOrganization = { _tag: "Tenant", organizationId, workspaceId: null } as const
      assert.deepInclude(yield* eraser.count(ofWorkspace, 100), { read_marks: 2, notifications: 2 })
      assert.notProperty(yield* eraser.count(ofOrganization, 100), "read_marks")
      const { counts } = yield* atomic(eraser.erase(ofWorkspace, 100))
      assert.deepInclude(counts, { read_marks: 2, notifications: 2 })
    })
  )
})
