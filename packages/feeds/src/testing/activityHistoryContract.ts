import { ActivityId, type ActivityRecord, FeedLog, type OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { anActivity, anId, aTenant, overtaking, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { ActivityFeed } from "../ports/ActivityFeed.ts"
import { ActivityHistory, ActivityPlace } from "../ports/ActivityHistory.ts"

/** The ports of the suite: the history itself, the log behind it, and the feed that forgets entries. */
export type ActivityHistoryContractPorts = ActivityHistory | ActivityFeed | FeedLog | UnitOfWork | Tenants

/** How often a case looks at the history before it fails. One that ends before the oldest open transaction waits for others of its server. */
const LOOKS_MAX = 4_000

/** The contract of every history of activity. `endMinute` makes the minute of an organization's tallies be over. */
export const activityHistoryContract = <R, E>(
  adapter: string,
  adapterLayer: Layer.Layer<ActivityHistoryContractPorts | R, E>,
  endMinute: (organizationId: OrganizationId) => Effect.Effect<unknown, never, R | UnitOfWork>
) =>
  describe(`activity history over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
      const record = (...entries: ReadonlyArray<ActivityRecord>) => FeedLog.use((log) => atomic(log.record(...entries)))
      const tally = (entry: ActivityRecord) =>
        FeedLog.use((log) => atomic(log.tally({ entry, key: "api_key.refused", count: 1 })))

      const idsOf = (entries: ReadonlyArray<ActivityRecord>) => entries.map(({ id }) => id)

      /** Reads, `limit` at a time, everything from a place up to the watermark of now, and returns the place where it ends as well. */
      const readOn = Effect.fnUntraced(function* (
        organizationId: OrganizationId,
        after: ActivityPlace | undefined,
        limit = 100
      ) {
        const history = yield* ActivityHistory
        const before = yield* history.watermark
        const entries: Array<ActivityRecord> = []
        let end = after
        let more = true
        while (more) {
          const part = yield* history.read({ organizationId, after: end, before, limit })
          assert.isAtMost(part.entries.length, limit)
          entries.push(...part.entries)
          end = part.end
          more = part.more
        }
        return { entries, end }
      })

      /** Reads on as `readOn` does, again and again until all of `wanted` have come. */
      const readUntil = Effect.fnUntraced(function* (
        organizationId: OrganizationId,
        after: ActivityPlace | undefined,
        wanted: ReadonlyArray<ActivityId>
      ) {
        const entries: Array<ActivityRecord> = []
        let end = after
        for (let look = 0; look < LOOKS_MAX; look++) {
          const read = yield* readOn(organizationId, end)
          entries.push(...read.entries)
          end = read.end
          if (wanted.every((id) => idsOf(entries).includes(id))) return { entries, end }
          yield* Effect.sleep("5 millis")
        }
        throw new Error("Entries that were recorded do not settle")
      })

      it.effect(
        "gives the entries of an organization and of its workspaces as they were recorded, and nobody else's",
        () =>
          Effect.gen(function* () {
            const tenant = yield* aTenant()
            const sibling = yield* aTenant({ organizationId: tenant.organizationId })
            const mine = [tenant, sibling, { ...tenant, workspaceId: null }].map((owner) =>
              anActivity({ ...owner, payload: { name: "é 💡", count: 3, list: [null, true] } })
            )
            yield* record(anActivity(yield* aTenant()))
            yield* record(...mine)
            const { entries } = yield* readUntil(tenant.organizationId, undefined, idsOf(mine))
            assert.sameDeepMembers([...entries], mine)
          })
      )

      it.effect("goes on part by part without a loss or a repetition, always in the same order", () =>
        Effect.gen(function* () {
          const tenant = yield* aTenant()
          const made = Array.from({ length: 7 }, () => anActivity(tenant))
          yield* record(...made.slice(0, 3))
          yield* Effect.forEach(made.slice(3), (entry) => record(entry))
          const { entries } = yield* readUntil(tenant.organizationId, undefined, idsOf(made))
          assert.sameMembers(idsOf(entries), idsOf(made))
          for (const limit of [1, 2, 7, 8]) {
            const again = yield* readOn(tenant.organizationId, undefined, limit)
            assert.deepStrictEqual(idsOf(again.entries), idsOf(entries))
          }
        })
      )

      it.effect("gives nothing behind its end until something is recorded, and that alone then", () =>
        Effect.gen(function* () {
          const tenant = yield* aTenant()
          const [first, second] = [anActivity(tenant), anActivity(tenant)]
          yield* record(first)
          const { end } = yield* readUntil(tenant.organizationId, undefined, [first.id])
          assert.deepStrictEqual(yield* readOn(tenant.organizationId, end), { entries: [], end })
          yield* record(second)
          assert.deepStrictEqual((yield* readUntil(tenant.organizationId, end, [second.id])).entries, [second])
        })
      )

      // A late commit has an older id, and perhaps an earlier time: a reader that went by those would be past it.
      it.effect("leaves out no entry whose transaction commits after a later one's", () =>
        Effect.gen(function* () {
          const { organizationId, ...rest } = yield* aTenant()
          const log = yield* FeedLog
          const feed = yield* ActivityFeed
          const [slow, quick] = [anActivity({ organizationId, ...rest }), anActivity({ organizationId, ...rest })]
          const scope = { organizationId, workspaceId: rest.workspaceId, includesOrganization: false }
          // Reading makes sure that the write has arrived: a client may have sent it without an answer yet.
          const written = Effect.andThen(log.record(slow), feed.list(scope, {}, { limit: 1, before: undefined }))
          const early = yield* overtaking(written, record(quick), readOn(organizationId, undefined))
          const last = anActivity({ organizationId, ...rest })
          yield* record(last)
          const late = yield* readUntil(organizationId, early.end, [last.id])
          assert.sameMembers(idsOf([...early.entries, ...late.entries]), idsOf([slow, quick, last]))
        })
      )

      it.effect("gives nothing of what is recorded after the watermark was taken", () =>
        Effect.gen(function* () {
          const history = yield* ActivityHistory
          const tenant = yield* aTenant()
          const before = yield* history.watermark
          const entry = anActivity(tenant)
          yield* record(entry)
          yield* readUntil(tenant.organizationId, undefined, [entry.id])
          const range = { organizationId: tenant.organizationId, after: undefined, before, limit: 9 }
          assert.isEmpty((yield* history.read(range)).entries)
        })
      )

      const currentMinute = Effect.map(DateTime.now, (now) => DateTime.startOf(now, "minute").epochMilliseconds)

      /** A reading of a tally and an entry behind it, within the minute of the tally. */
      const withinMinute = Effect.gen(function* () {
        for (let attempt = 0; attempt < 3; attempt++) {
          const tenant = yield* aTenant()
          const minute = yield* currentMinute
          const [tallied, later] = [anActivity(tenant), anActivity(tenant)]
          yield* tally(tallied)
          yield* record(later)
          const read = yield* readOn(tenant.organizationId, undefined)
          if ((yield* currentMinute) === minute) return { later, read, tallied, tenant }
        }
        throw new Error("No attempt of three was within one minute")
      })

      it.effect("holds back a tally and all that follows until its minute is over, and then gives it as it stays", () =>
        Effect.gen(function* () {
          const { later, read, tallied, tenant } = yield* withinMinute
          const { organizationId } = tenant
          assert.deepStrictEqual(read, { entries: [], end: undefined })
          yield* endMinute(organizationId)
          const { entries } = yield* readUntil(organizationId, undefined, [tallied.id, later.id])
          assert.deepStrictEqual(entries, [{ ...tallied, payload: { count: 1 } }, later])
          yield* tally(anActivity(tenant))
          assert.deepStrictEqual((yield* readOn(organizationId, undefined)).entries, entries)
        })
      )

      it.effect("has reached the places of the organization that it gave, and no others", () =>
        Effect.gen(function* () {
          const history = yield* ActivityHistory
          const [tenant, stranger] = [yield* aTenant(), yield* aTenant()]
          const entry = anActivity(tenant)
          yield* record(entry)
          const { end } = yield* readUntil(tenant.organizationId, undefined, [entry.id])
          const place = end ?? ActivityPlace.make("")
          assert.isTrue(yield* history.hasReached(tenant.organizationId, place))
          assert.isFalse(yield* history.hasReached(stranger.organizationId, place))
          for (const text of ["", "x", `9${place}x`, `-1${place}`, `0${place}`]) {
            assert.isFalse(yield* history.hasReached(tenant.organizationId, ActivityPlace.make(text)), text)
          }
        })
      )

      it.effect("goes on behind an entry that was forgotten", () =>
        Effect.gen(function* () {
          const feed = yield* ActivityFeed
          const history = yield* ActivityHistory
          const tenant = yield* aTenant()
          // Older than the entries of any other case.
          const old = anActivity({
            ...tenant,
            id: ActivityId.make(`00d00000-0000-7000-8000-${anId(ActivityId).slice(24)}`)
          })
          const young = anActivity(tenant)
          yield* record(old)
          const { end } = yield* readUntil(tenant.organizationId, undefined, [old.id])
          yield* atomic(feed.forget(DateTime.makeUnsafe("1999-01-01T00:00:00Z"), 9))
          yield* record(young)
          assert.isTrue(yield* history.hasReached(tenant.organizationId, end ?? ActivityPlace.make("")))
          assert.deepStrictEqual((yield* readUntil(tenant.organizationId, end, [young.id])).entries, [young])
        })
      )

      it.effect("finds the organization's entries by their ids, and nobody else's", () =>
        Effect.gen(function* () {
          const history = yield* ActivityHistory
          const [tenant, stranger] = [yield* aTenant(), yield* aTenant()]
          const [mine, other, foreign] = [anActivity(tenant), anActivity(tenant), anActivity(stranger)]
          yield* record(mine, other, foreign)
          const found = yield* history.find(tenant.organizationId, [mine.id, foreign.id, anId(ActivityId)])
          assert.deepStrictEqual(found, [mine])
          assert.isEmpty(yield* history.find(tenant.organizationId, []))
        })
      )

      it.effect("gives nothing of a transaction that failed", () =>
        Effect.gen(function* () {
          const tenant = yield* aTenant()
          const kept = anActivity(tenant)
          yield* Effect.exit(atomic(Effect.andThen(record(anActivity(tenant)), Effect.fail("refused"))))
          yield* record(kept)
          assert.deepStrictEqual((yield* readUntil(tenant.organizationId, undefined, [kept.id])).entries, [kept])
        })
      )
    })
  })
