/** Logins over Postgres: what only many connections at once can show. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Logins, MemberStore, NotInvited } from "@agent-platform/keys"
import { layer as postgres } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { begun, invited, layerProvider, loggedIn, Provider } from "../../keys/test/loginSupport.ts"
import { databaseLayer } from "./support/database.ts"

// Cryptography is in memory's layer; everything that is kept is in Postgres.
const layer = Logins.layer.pipe(
  Layer.provideMerge(layerProvider),
  Layer.provideMerge(postgres),
  Layer.provideMerge(databaseLayer),
  Layer.provideMerge(kernel)
)

suite(layer, { excludeTestServices: true })("logins over Postgres", (it) => {
  const count = (table: string) =>
    SqlClient.SqlClient.use(
      (sql) => sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`
    ).pipe(Effect.map(([row]) => row?.count))

  it.effect("leave nothing of somebody whom nobody has invited", () =>
    Effect.gen(function* () {
      const logins = yield* Logins
      assert.instanceOf(yield* Effect.flip(logins.completeLogin(yield* begun())), NotInvited)
      for (const table of ["app_user", "login_session", "login_attempt", "activity"]) {
        assert.strictEqual(yield* count(table), 0, table)
      }
    })
  )

  it.effect("of one person at once, for the first time, make one member and a session each", () =>
    Effect.gen(function* () {
      const [logins, members, { identity }] = [yield* Logins, yield* MemberStore, yield* Provider]
      const { member } = yield* invited()
      const secrets = yield* Effect.all(
        Array.from({ length: 10 }, () => loggedIn),
        { concurrency: "unbounded" }
      )
      const recognised = yield* Effect.forEach(
        secrets,
        (secret) => logins.recogniseSession({ secret, workspaceId: undefined }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(recognised.map(({ session }) => session.id)).size, 10)
      assert.deepStrictEqual([...new Set(recognised.map(({ session }) => session.memberId))], [member.id])
      const user = yield* members.findUser(identity.issuer, identity.subject)
      assert.strictEqual(user?.id, recognised[0]?.user.id)
    })
  )
})
