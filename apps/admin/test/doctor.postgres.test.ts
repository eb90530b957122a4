/** The doctor over a real Postgres in which things are broken one by one. */
import { createServer } from "node:http"
import { SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { aTenant } from "@agent-platform/kernel/testing"
import { ProviderKeyStore, providerKeyPlace } from "@agent-platform/keys"
import { aProviderKey } from "@agent-platform/keys/testing"
import { layerCrypto } from "@agent-platform/process"
import { parseSecretsKey, SecretBoxAes } from "@agent-platform/secrets"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { asSuperuser, emptyDatabase, ownerOf } from "../../../packages/postgres/test/support/database.ts"
import { APP, OWNER } from "../../../packages/postgres/test/support/roles.ts"
import { layerTenants } from "../../../packages/postgres/test/support/tenants.ts"
import type { Finding } from "../src/doctor/Finding.ts"
import { migrateDatabase } from "../src/migrateDatabase.ts"
import { assertPromised, Database, layer as operating } from "./operating.ts"
import { runAdminIn } from "./program.ts"

const layer = Layer.provideMerge(
  Layer.mergeAll(
    layerTenants,
    Layer.effectDiscard(Effect.flatMap(Database, ({ url }) => Effect.orDie(migrateDatabase(url, ownerOf(url)))))
  ),
  operating
)

const aSecretsKey = () => btoa(String.fromCharCode(...SecureRandom.randomBytesUnsafe(32)))
const SECRETS_KEY = aSecretsKey()

interface Examined {
  readonly code: number | null
  readonly err: string
  readonly findings: ReadonlyArray<Finding>
}

/** Runs `doctor --json` with these settings beside those that are right. */
const examine = Effect.fnUntraced(function* (
  settings: Readonly<Record<string, string>> = {},
  target = "none",
  purpose = "webhooks"
) {
  const { url } = yield* Database
  const environment = { DATABASE_URL: Redacted.value(url), SECRETS_KEY, ...settings }
  const args = ["doctor", "--json", "--egress-target", target, "--egress-purpose", purpose]
  const { code, err, out } = yield* runAdminIn(environment, ...args)
  const printed = JSON.parse(out)
  assertPromised(args, printed)
  assert.strictEqual(printed.healthy, code === 0)
  const examined: Examined = { code, err, findings: printed.findings }
  return examined
})

const levelOf = ({ findings }: Examined, check: string) => findings.find((finding) => finding.check === check)?.level

suite(layer, { excludeTestServices: true })("the doctor", (it) => {
  it.effect("finds nothing wrong with a deployment that is well but for jobs that never ran and durability", () =>
    Effect.gen(function* () {
      const examined = yield* examine()
      assert.strictEqual(examined.code, 0, JSON.stringify(examined.findings))
      // The tests' Postgres is set not to wait for its disk.
      const odd = examined.findings.filter(({ level }) => level !== "ok").map(({ check }) => check)
      assert.includeMembers(["database.durability", "jobs.clock", "queues.partitions", "queues.jobs"], odd)
      for (const check of ["database.version", "database.schema", "database.role", "clock.skew", "queues.installed"]) {
        assert.strictEqual(levelOf(examined, check), "ok", check)
      }
    })
  )

  it.effect("names settings that are wrong or missing", () =>
    Effect.gen(function* () {
      const examined = yield* examine({ RUN_HISTORY_DAYS: "soon", SECRETS_KEY: "" })
      assert.strictEqual(examined.code, 3)
      assert.strictEqual(examined.err, "admin: 2 problems were found\n")
      const messages = examined.findings.filter(({ check }) => check === "configuration.settings")
      assert.match(
        messages.map(({ message }) => message).join("\n"),
        /SECRETS_KEY is missing[\s\S]*RUN_HISTORY_DAYS is not/
      )
      assert.strictEqual(levelOf(yield* examine({ EGRESS_ALLOW_LOOPBACK: "true" }), "configuration.egress"), "warning")
      const nothing = yield* runAdminIn({}, "doctor", "--egress-target", "none")
      assert.strictEqual(nothing.code, 3)
      assert.match(nothing.out, /^problem +configuration\.settings +DATABASE_URL is missing/)
    })
  )

  it.effect("finds secrets that the key does not open, and a key that is none", () =>
    Effect.gen(function* () {
      const keys = yield* parseSecretsKey(Redacted.make(SECRETS_KEY)).pipe(Effect.provide(layerCrypto), Effect.orDie)
      yield* Effect.gen(function* () {
        const [box, store, unit] = [yield* SecretBox, yield* ProviderKeyStore, yield* UnitOfWork]
        const key = aProviderKey(yield* aTenant())
        const sealed = yield* box.seal(providerKeyPlace(key), Redacted.make("sk-secret"))
        yield* unit.atomic(store.insert(key, sealed))
      }).pipe(Effect.provide(Layer.orDie(SecretBoxAes.layer(keys).pipe(Layer.provide(layerCrypto)))))
      assert.strictEqual(levelOf(yield* examine(), "configuration.secrets_key"), "ok")
      const rotated = yield* examine({ SECRETS_KEY: `${aSecretsKey()},${SECRETS_KEY}` })
      assert.strictEqual(levelOf(rotated, "configuration.secrets_key"), "notice")
      const lost = yield* examine({ SECRETS_KEY: aSecretsKey() })
      assert.strictEqual(levelOf(lost, "configuration.secrets_key"), "problem")
      const none = yield* examine({ SECRETS_KEY: "short" })
      assert.strictEqual(levelOf(none, "configuration.secrets_key"), "problem")
    })
  )

  it.effect("finds a database that is away, and one without a schema", () =>
    Effect.gen(function* () {
      const away = yield* examine({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/nowhere" })
      assert.strictEqual(away.code, 3)
      assert.strictEqual(levelOf(away, "database.reachable"), "problem")
      const empty = yield* examine({ DATABASE_URL: Redacted.value(yield* emptyDatabase) })
      assert.strictEqual(levelOf(empty, "database.schema"), "problem")
      assert.strictEqual(levelOf(empty, "queues.installed"), "problem")
    })
  )

  it.effect("finds too few connections for the pools, and a database that takes no writes", () =>
    Effect.gen(function* () {
      assert.strictEqual(levelOf(yield* examine({ DATABASE_POOL_MAX: "500" }), "database.pools"), "problem")
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly name: string }>`select current_database() as name`
      const setting = `role ${APP} in database ${row?.name} set default_transaction_read_only`
      yield* asSuperuser((superuser) => superuser.unsafe(`alter ${setting} = on`))
      const readOnly = yield* examine()
      yield* asSuperuser((superuser) => superuser.unsafe(`alter ${setting} = off`))
      assert.strictEqual(levelOf(readOnly, "database.writable"), "problem")
    })
  )

  it.effect("finds a role that owns the tables, and one that may create others", () =>
    Effect.gen(function* () {
      const { url } = yield* Database
      const owner = yield* examine({ DATABASE_URL: Redacted.value(ownerOf(url)) })
      const [owns] = owner.findings.filter(({ check }) => check === "database.role")
      assert.deepInclude(owns, { level: "warning" })
      assert.include(owns?.message, `${OWNER}, which owns tables`)
      yield* asSuperuser((sql) => sql.unsafe(`grant create on schema public to ${APP}`))
      const creates = yield* examine()
      yield* asSuperuser((sql) => sql.unsafe(`revoke create on schema public from ${APP}`))
      assert.include(JSON.stringify(creates.findings), `${APP}, which may create tables in the schema public`)
      assert.strictEqual(levelOf(yield* examine(), "database.role"), "ok")
    })
  )

  it.effect("finds runs that nobody looks after, and jobs that failed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into job_run (id, name, trigger, holder, status, started_at, finished_at, items_done, error)
        values (gen_random_uuid(), 'runs.prune', 'schedule', 'a', 'failed', now(), now(), 0, 'No room')
      `
      const examined = yield* examine()
      assert.strictEqual(levelOf(examined, "jobs.outcomes"), "warning")
      const [failed] = examined.findings.filter(({ check }) => check === "jobs.outcomes")
      assert.include(failed?.message, "The last run of runs.prune failed: No room")
    })
  )

  it.effect("shows what is admitted beside public addresses", () =>
    Effect.gen(function* () {
      assert.strictEqual(levelOf(yield* examine(), "configuration.egress"), "ok")
      const examined = yield* examine({
        EGRESS_ALLOW_WEBHOOKS: "10.0.0.0/8",
        EGRESS_ALLOW_PROVIDERS: "http://VLLM.internal:8000, *.models.internal"
      })
      assert.strictEqual(examined.code, 0)
      const shown = examined.findings.filter(({ check }) => check.startsWith("configuration.egress"))
      assert.deepStrictEqual(
        shown.map(({ check, level, message }) => [check, level, message]),
        [
          ["configuration.egress_allow_webhooks", "notice", "EGRESS_ALLOW_WEBHOOKS admits 10.0.0.0/8"],
          [
            "configuration.egress_allow_providers",
            "ok",
            "EGRESS_ALLOW_PROVIDERS admits http://vllm.internal:8000, *.models.internal"
          ]
        ]
      )
      const wrong = yield* examine({ EGRESS_ALLOW_MCP: "10.0.0.0/8,169.254.169.254" })
      assert.strictEqual(wrong.code, 3)
      assert.include(
        JSON.stringify(wrong.findings),
        "EGRESS_ALLOW_MCP has an entry, number 2, that lies among addresses that are never called"
      )
    })
  )

  it.effect("calls out, and says why it cannot", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const made = createServer((_, response) => void response.writeHead(404).end())
          made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
        }),
        (made) => Effect.sync(() => made.close())
      )
      const address = server.address()
      const port = typeof address === "object" ? address?.port : undefined
      const target = `http://127.0.0.1:${port}/`
      const open = { EGRESS_ALLOW_LOOPBACK: "true" }
      assert.strictEqual(levelOf(yield* examine(open, target), "egress.https"), "ok")
      const guarded = yield* examine({}, target)
      assert.strictEqual(levelOf(guarded, "egress.https"), "problem")
      assert.include(JSON.stringify(guarded.findings), "address_refused")
      assert.include(JSON.stringify(guarded.findings), "name another with --egress-target")
      const admitted = { EGRESS_ALLOW_PROVIDERS: "http://127.0.0.1" }
      assert.strictEqual(levelOf(yield* examine(admitted, target), "egress.https"), "problem")
      assert.strictEqual(levelOf(yield* examine(admitted, target, "providers"), "egress.https"), "ok")
      const dead = yield* examine(open, "http://127.0.0.1:1/")
      assert.include(JSON.stringify(dead.findings), "connect_failed")
    }).pipe(Effect.scoped)
  )
})
