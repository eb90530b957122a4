/** The activity about logins that are refused. */
import { OrganizationId } from "@agent-platform/kernel"
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { anId } from "@agent-platform/kernel/testing"
import { Logins } from "@agent-platform/keys"
import { anEmail } from "@agent-platform/keys/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { begun, invited, memory, Provider } from "./loginSupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:10.250Z")

const allEntries = Effect.flatMap(MemoryDatabase, (database) => feedTables(database).activity.all)

/** A login to this organization that is refused. */
const refused = Effect.fnUntraced(function* (organizationId: OrganizationId | undefined) {
  const logins = yield* Logins
  yield* Effect.flip(logins.completeLogin(yield* begun(organizationId)))
})

describe("a login that is refused", () => {
  it.effect("is reported to the organization that it asked for, one entry a minute, and not who it was", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const provider = yield* Provider
      const { organization } = yield* invited({ email: anEmail() })
      yield* refused(organization.id)
      yield* refused(organization.id)
      provider.identity = { ...provider.identity, emailVerified: false }
      yield* refused(organization.id)
      const entries = yield* allEntries
      assert.deepStrictEqual(
        entries.map(({ payload }) => [payload["reason"], payload["count"]]),
        [
          ["not_invited", 2],
          ["email_unverified", 1]
        ]
      )
      assert.deepInclude(entries[0], {
        organizationId: organization.id,
        workspaceId: null,
        action: "login.refused",
        actor: { type: "user", id: "unknown", label: "Somebody" },
        summary: "A login through google was refused: nobody has invited the person",
        resourceType: "login",
        resourceId: "google",
        payload: { provider: "google", reason: "not_invited", client_address: "192.0.2.7", count: 2 },
        createdAt: NOW
      })
      const text = JSON.stringify(entries)
      for (const personal of [provider.identity.email, provider.identity.name, provider.identity.subject]) {
        assert.notInclude(text, String(personal))
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("by the provider is reported as well", () =>
    Effect.gen(function* () {
      const logins = yield* Logins
      const { organization } = yield* invited()
      const login = yield* begun(organization.id)
      yield* Provider.use(({ requests }) => Effect.sync(() => requests.clear()))
      yield* Effect.flip(logins.completeLogin(login))
      assert.deepStrictEqual(
        (yield* allEntries).map(({ payload }) => payload["reason"]),
        ["provider_refused"]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("is reported to nobody where it asked for no organization, or for one that is not there", () =>
    Effect.gen(function* () {
      yield* invited({ email: anEmail() })
      yield* refused(undefined)
      yield* refused(anId(OrganizationId))
      assert.isEmpty(yield* allEntries)
    }).pipe(Effect.provide(memory))
  )

  // Each of them would learn of the others.
  it.effect("for several have invited the person is reported to none of them", () =>
    Effect.gen(function* () {
      yield* invited()
      yield* invited()
      yield* refused(undefined)
      assert.isEmpty(yield* allEntries)
    }).pipe(Effect.provide(memory))
  )
})
