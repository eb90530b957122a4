/** Holds every delete and update of the stores to a bound, and proves that one without is seen. */
import { assert, describe, it } from "@effect/vitest"
import { isBounded, tableKeysOf, unboundedWrites, writesOf } from "./boundedWrites.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const { files } = readRepository(TOP_FOLDER)
const keys = tableKeysOf(files)

/** Writes whose bound no key and no limit of their own shows, with what bounds them. */
const BOUNDED_OTHERWISE: Readonly<Record<string, string>> = {
  "keys/PgKeyEraser.ts: update workspace": "the workspaces of one organization, which are closed together with it",
  "runs/removeRuns.ts: delete from run_event": "the logs of a limited portion of runs",
  "runs/removeRuns.ts: delete from compressed_log": "the same",
  "runs/removeRuns.ts: update run": "runs of the sessions of a limited portion of runs",
  "PgIdempotency.ts: delete from idempotency_key": "the rows that the statement before has locked, which has a limit",
  "PgJobHistory.ts: update job_run": "runs of one job that are under way: its queue lets one begin at a time",
  "billing/renewMarks.ts: update …":
    "every mark, once in the life of a restored database, by an operator's command without a time limit",
  "feeds/closeNotices.ts: update notification": "the notices of closings that have a limit: one of each question",
  "feeds/forgetNotices.ts: delete from notification_read":
    "the marks on a portion of notices that has a limit: one of each workspace",
  "keys/PgLoginStore.ts: delete from …": "joined with the rows that are over, which have a limit",
  "keys/PgMemberStore.ts: delete from member_workspace": "what one person may enter: as many as there are workspaces",
  "runs/PgRecordKeyStore.ts: update record_key": "an index lets one key be in use",
  "runs/PgRunHistory.ts: delete from run_event": "the logs of the runs below",
  "runs/PgRunHistory.ts: delete from run":
    "the sessions of a limited portion of runs, each as a whole, since its runs refer to each other",
  "runs/compressLogs.ts: delete from run_event":
    "the logs of runs that were locked with a limit on their events together",
  "runs/PgSessionRuns.ts: update run": "the open questions of one session, by an index that has nothing else",
  "webhooks/PgDeliveryHistory.ts: delete from webhook_attempt_default":
    "rows of months that nobody prepared, of which there are hardly any",
  "webhooks/PgDeliveryHistory.ts: delete from event_default": "the same",
  "webhooks/PgDeliveryHistory.ts: delete from webhook_delivery_default": "the same",
  "webhooks/PgDeliveryLifecycle.ts: update webhook_delivery":
    "what waits for one endpoint, which dies together with it: a delivery that stayed would be sent to nobody",
  "webhooks/PgPublishing.ts: update webhook_setting": "the one row that the table can have"
}

const planted = (text: string) => ({ path: "packages/postgres/src/planted.ts", text })
const seen = (text: string) => unboundedWrites(keys, [planted(text)]).length

describe("deletes and updates", () => {
  it("have a limit or a key, or a reason why they need none", () => {
    assert.sameMembers([...new Set(unboundedWrites(keys, files))], Object.keys(BOUNDED_OTHERWISE))
  })

  it("are found, and so are the keys of their tables", () => {
    assert.isAbove(files.flatMap(writesOf).length, 70)
    assert.deepStrictEqual(keys.get("webhook_delivery"), [["endpoint_id", "event_id"]])
    assert.deepInclude([...(keys.get("login_session") ?? [])], ["hash"])
    assert.deepInclude([...(keys.get("roll_up_state") ?? [])], [])
    assert.deepStrictEqual(
      [...keys].filter(([, some]) => some.length === 0).map(([table]) => table),
      ["notification_tally"]
    )
  })

  it("are seen where nothing bounds them", () => {
    assert.strictEqual(seen("sql`delete from agent_platform.run where created_at < ${before}`"), 1)
    assert.strictEqual(seen("sql`update agent_platform.run set ready = true`"), 1)
    assert.strictEqual(seen("sql`update agent_platform.run set id = ${id} where status = 'queued'`"), 1)
    assert.strictEqual(seen("sql`delete from agent_platform.event where organization_id = ${id}`"), 1)
    assert.strictEqual(seen("sql`delete from agent_platform.billing_month where month = ${month}`"), 1)
    assert.strictEqual(seen("sql`delete from agent_platform.webhook_delivery where event_id = ${id}`"), 1)
    assert.strictEqual(seen("sql`delete from agent_platform.event where created_at < ${limit}`"), 1)
    assert.strictEqual(seen("sql`delete from ${sql.literal(table)} where created_at < ${before}`"), 1)
    assert.strictEqual(seen("sql`with a as (delete from agent_platform.event where type = 'a') select 1 limit 1`"), 1)
  })

  it("are bounded by a limit, a key, or a key behind its tenant", () => {
    const of = (text: string) => writesOf(planted(text)).map((write) => isBounded(keys, write))
    assert.deepStrictEqual(of("sql`delete from agent_platform.run where id in (select id from run limit ${max})`"), [
      true
    ])
    assert.deepStrictEqual(of("sql`update agent_platform.agent set name = 'a' where ${isOf(one)} and id = ${id}`"), [
      true
    ])
    assert.deepStrictEqual(
      of("sql`delete from agent_platform.webhook_replay where (organization_id, id) in (${ids})`"),
      [true]
    )
    assert.deepStrictEqual(of("sql`update agent_platform.run set x = 1 from due where run.id = due.id`"), [true])
    assert.deepStrictEqual(of("// `delete from agent_platform.run` is not written here"), [])
  })
})
