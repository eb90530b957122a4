import { ActivityId, type ActivityRecord, FeedLog, firstIdAt, UnitOfWork } from "@agent-platform/kernel"
import { aCaller, anActivity, anId, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import {
  ACTOR_TYPES,
  type ActivityFilter,
  type ActivityScope,
  isListed,
  newestFirst,
  readPosition
} from "../Activity.ts"
import { ActivityFeed } from "../ports/ActivityFeed.ts"

/** The ports of the suite: the feed itself, and the log that it reads. */
export type ActivityFeedContractPorts = ActivityFeed | FeedLog | UnitOfWork | Tenants

const AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** The contract of every feed of activity. */
export const activityFeedContract = <E>(adapter: string, adapterLayer: Layer.Layer<ActivityFeedContractPorts, E>) =>
  describe(`activity feed over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
      const record = (...entries: ReadonlyArray<ActivityRecord>) => FeedLog.use((log) => atomic(log.record(...entries)))

      const idsOf = (entries: ReadonlyArray<ActivityRecord>) => entries.map(({ id }) => id)

      const scopeOf = (tenant: Omit<ActivityScope, "includesOrganization">, includesOrganization = false) => ({
        organizationId: tenant.organizationId,
        workspaceId: tenant.workspaceId,
        includesOrganization
      })

      /** Reads every page, of `limit` entries each. `between` is done before each next page. */
      const walk = Effect.fnUntraced(function* (
        scope: ActivityScope,
        filter: ActivityFilter,
        limit: number,
        between: Effect.Effect<unknown, never, ActivityFeedContractPorts> = Effect.void
      ) {
        const feed = yield* ActivityFeed
        const found: Array<ActivityRecord> = []
        let next: string | undefined
        do {
          const before = next === undefined ? undefined : readPosition(next)
          const page = yield* feed.list(scope, filter, { limit, before })
          assert.isAtMost(page.items.length, limit)
          found.push(...page.items)
          next = page.next
          if (next !== undefined) yield* between
        } while (next !== undefined)
        return found
      })

      /** Entries of every kind of actor and of two resources, of a workspace and of its organization, some at one time. */
      const various = Effect.gen(function* () {
        const tenant = yield* aTenant()
        const entries = [tenant.workspaceId, null].flatMap((workspaceId, owner) =>
          ACTOR_TYPES.flatMap((type, actor) =>
            ["run", "agent"].flatMap((resourceType, resource) =>
              [0, 1, 2].map((number) =>
                anActivity({
                  ...tenant,
                  workspaceId,
                  resourceType,
                  resourceId: `${tenant.workspaceId} ${number}`,
                  actor: { ...aCaller().actor, type },
                  createdAt: DateTime.add(AT, { seconds: (number * 7 + actor * 3 + resource + owner) % 9 })
                })
              )
            )
          )
        )
        yield* record(...entries)
        yield* record(
          anActivity(yield* aTenant({ organizationId: tenant.organizationId })),
          anActivity(yield* aTenant())
        )
        return { entries, tenant }
      })

      it.effect("gives entries as they were recorded", () =>
        Effect.gen(function* () {
          const feed = yield* ActivityFeed
          const tenant = yield* aTenant()
          const entry = anActivity({ ...tenant, payload: { name: "é 💡", count: 3, list: [null, true] } })
          yield* record(entry)
          const page = yield* feed.list(scopeOf(tenant), {}, { limit: 50, before: undefined })
          assert.deepStrictEqual(page, { items: [entry], next: undefined })
        })
      )

      it.effect("combines every filter with every other, on pages of every size, newest first", () =>
        Effect.gen(function* () {
          const { entries, tenant } = yield* various
          const filters = ["run", "agent", "nothing", undefined].flatMap((resourceType) =>
            [...ACTOR_TYPES, undefined].flatMap((actorType) =>
              [undefined, DateTime.add(AT, { seconds: 4 })].map((since) => ({ resourceType, actorType, since }))
            )
          )
          // By resource: that of the workspace's first entry and that of the organization's last, each with and without two more filters.
          const byResourceOf = (place: number) => ({ resourceId: entries[place]?.resourceId, since: undefined })
          const ofResources = [0, entries.length - 1].flatMap((place) =>
            ["run", undefined].flatMap((resourceType) =>
              [undefined, ACTOR_TYPES[0]].map((actorType) => ({ ...byResourceOf(place), resourceType, actorType }))
            )
          )
          for (const filter of [...filters, ...ofResources]) {
            for (const includesOrganization of [false, true]) {
              const scope = scopeOf(tenant, includesOrganization)
              const expected = entries.filter((entry) => isListed(entry, scope, filter)).sort(newestFirst)
              for (const limit of [5, 50]) {
                assert.deepStrictEqual(
                  idsOf(yield* walk(scope, filter, limit)),
                  idsOf(expected),
                  JSON.stringify(filter)
                )
              }
            }
          }
        })
      )

      it.effect("shows an organization's entries in none of its workspaces unless it is asked for them", () =>
        Effect.gen(function* () {
          const { entries, tenant } = yield* various
          const sibling = yield* aTenant({ organizationId: tenant.organizationId })
          assert.isEmpty(yield* walk(scopeOf(sibling), {}, 50))
          const shared = entries.filter((entry) => entry.workspaceId === null)
          assert.sameMembers(idsOf(yield* walk(scopeOf(sibling, true), {}, 50)), idsOf(shared))
          assert.isEmpty(yield* walk(scopeOf(yield* aTenant(), true), {}, 50))
        })
      )

      it.effect("gives nothing of a workspace under another organization", () =>
        Effect.gen(function* () {
          const { tenant } = yield* various
          const { organizationId } = yield* aTenant()
          assert.isEmpty(yield* walk(scopeOf({ ...tenant, organizationId }, true), {}, 50))
        })
      )

      it.effect("has since as an inclusive bound", () =>
        Effect.gen(function* () {
          const tenant = yield* aTenant()
          const [before, at] = [-1, 0].map((milliseconds) =>
            anActivity({ ...tenant, createdAt: DateTime.add(AT, { milliseconds }) })
          )
          yield* record(before!, at!)
          assert.deepStrictEqual(idsOf(yield* walk(scopeOf(tenant), { since: AT }, 50)), [at!.id])
        })
      )

      // A cursor is a place and not a count: entries that come in on top, or late and further down, move nobody's page.
      it.effect("gives everything once that was there at first, whatever is recorded between two pages", () =>
        Effect.gen(function* () {
          const { entries, tenant } = yield* various
          const added: Array<ActivityRecord> = []
          const adding = Effect.suspend(() => {
            const made = [-60, 4, 600].map((seconds) =>
              anActivity({ ...tenant, createdAt: DateTime.add(AT, { seconds }) })
            )
            added.push(...made)
            return record(...made)
          })
          const found = yield* walk(
            scopeOf(tenant, true),
            {},
            4,
            Effect.asVoid(Effect.suspend(() => (added.length < 30 ? adding : Effect.void)))
          )
          const ids = idsOf(found)
          assert.strictEqual(new Set(ids).size, ids.length)
          assert.includeMembers([...ids], [...idsOf(entries)])
          assert.deepStrictEqual(ids, idsOf(found.slice().sort(newestFirst)))
        })
      )

      it.effect("forgets the oldest by their ids, as many as it is asked to, and keeps the rest", () =>
        Effect.gen(function* () {
          const feed = yield* ActivityFeed
          const tenant = yield* aTenant()
          // Older than the entries of any other case, and of another run of this one.
          const bound = DateTime.makeUnsafe("2001-01-01T00:00:00.000Z")
          const idAt = (year: number) =>
            ActivityId.make(
              `${firstIdAt(DateTime.makeUnsafe(`${year}-06-01T00:00:00Z`)).slice(0, 24)}${anId(ActivityId).slice(24)}`
            )
          const old = [1998, 1999, 2000].map((year) => anActivity({ ...tenant, id: idAt(year) }))
          const kept = anActivity({ ...tenant, id: idAt(2002) })
          yield* record(...old, kept)
          yield* Effect.exit(atomic(Effect.andThen(feed.forget(bound, 9), Effect.fail("refused"))))
          assert.strictEqual(yield* atomic(feed.forget(bound, 2)), 2)
          assert.sameMembers(idsOf(yield* walk(scopeOf(tenant), {}, 50)), idsOf([old[2]!, kept]))
          assert.strictEqual(yield* atomic(feed.forget(bound, 2)), 1)
          assert.strictEqual(yield* atomic(feed.forget(bound, 2)), 0)
          assert.deepStrictEqual(idsOf(yield* walk(scopeOf(tenant), {}, 50)), [kept.id])
        })
      )

      it.effect("gives nothing of a transaction that failed", () =>
        Effect.gen(function* () {
          const tenant = yield* aTenant()
          yield* Effect.exit(atomic(Effect.andThen(record(anActivity(tenant)), Effect.fail("refused"))))
          assert.isEmpty(yield* walk(scopeOf(tenant), {}, 50))
        })
      )
    })
  })
