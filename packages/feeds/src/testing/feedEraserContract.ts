import { atomic, ERASED_PERSON, FeedLog, type UnitOfWork } from "@agent-platform/kernel"
import {
  aCaller,
  aNotification,
  anActivity,
  aTenant,
  type FeedReading,
  type Tenants
} from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { FeedEraser } from "../ports/FeedEraser.ts"

/** Holds an eraser of the feeds to its port; `reading` reads what an organization has in them. */
export const feedEraserContract = <E, R>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | FeedLog | FeedEraser | Tenants | R, E>,
  reading: FeedReading<R>
) =>
  describe(`eraser of the feeds over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const erase = (what: Parameters<FeedEraser["Service"]["erase"]>[0], max = 100) =>
        FeedEraser.use((eraser) => atomic(eraser.erase(what, max)))
      const record = (...entries: ReadonlyArray<ReturnType<typeof anActivity>>) =>
        FeedLog.use((log) => atomic(log.record(...entries)))
      const notify = (...notices: ReadonlyArray<ReturnType<typeof aNotification>>) =>
        FeedLog.use((log) => atomic(log.notify(...notices)))

      it.effect("erases entries about resources, and the words of notices about them", () =>
        Effect.gen(function* () {
          const { organizationId, workspaceId } = aCaller(yield* aTenant())
          const [gone, kept] = [
            anActivity({ organizationId, workspaceId, resourceType: "run" }),
            anActivity({ organizationId, workspaceId, resourceType: "run" })
          ]
          const erased = anActivity({ organizationId, workspaceId, resourceId: gone.resourceId, action: "run.erased" })
          const asked = anActivity({ ...erased, id: anActivity().id, action: "run.erasure_requested" })
          yield* record(gone, kept, erased, asked)
          yield* notify(aNotification({ organizationId, workspaceId, payload: { run_id: gone.resourceId } }))
          const what = { _tag: "Resources", organizationId, workspaceId, ids: [gone.resourceId] } as const
          const { counts } = yield* erase(what)
          assert.deepInclude(counts, { activity: 1, notifications: 1 })
          const left = yield* reading.activity(organizationId)
          assert.sameMembers(
            left.map(({ id }) => id),
            [kept.id, erased.id, asked.id]
          )
          const [notice] = yield* reading.notifications(organizationId)
          assert.deepInclude(notice, { title: "", body: "", payload: {} })
        })
      )

      it.effect("erases a workspace portion by portion, and nothing of its organization or another workspace", () =>
        Effect.gen(function* () {
          const { organizationId, workspaceId } = aCaller(yield* aTenant())
          const above = anActivity({ organizationId, workspaceId: null })
          yield* record(...Array.from({ length: 3 }, () => anActivity({ organizationId, workspaceId })), above)
          yield* notify(aNotification({ organizationId, workspaceId }))
          const what = { _tag: "Tenant", organizationId, workspaceId } as const
          const first = yield* erase(what, 2)
          assert.isFalse(first.isOver)
          assert.isAtMost(first.counts["activity"] ?? 0, 2)
          while (!(yield* erase(what, 2)).isOver);
          assert.deepStrictEqual(
            (yield* reading.activity(organizationId)).map(({ id }) => id),
            [above.id]
          )
          assert.isEmpty(yield* reading.notifications(organizationId))
        })
      )

      it.effect("takes a person's name out of what they did, and erases what names them as a member", () =>
        Effect.gen(function* () {
          const { organizationId, workspaceId } = aCaller(yield* aTenant())
          const userId = anActivity().resourceId
          const actor = { type: "user", id: userId, label: "Ada" } as const
          const act = anActivity({ organizationId, workspaceId, actor, summary: "Ada created the agent 'Greeter'" })
          const email = `${userId}@example.com`
          const invitation = anActivity({
            ...{ organizationId, workspaceId: null, resourceType: "member", payload: { email } }
          })
          yield* record(act, invitation)
          const person = { _tag: "Person", userId, memberIds: [], emails: [email] } as const
          while (!(yield* erase(person)).isOver);
          const [left, ...others] = yield* reading.activity(organizationId)
          assert.isEmpty(others)
          assert.strictEqual(left?.actor.label, ERASED_PERSON)
          assert.strictEqual(left?.summary, `${ERASED_PERSON} created the agent 'Greeter'`)
        })
      )
    })
  })
