/** Runs of a host's functions, in memory and in its database alike. */
import { createRuns, type RunContext, type RunEvent, type RunsOptions } from "@agent-platform/embed/runs"
import { assert, describe, it } from "vitest"
import { sharedHost } from "./database.ts"
import { refusal } from "./refusal.ts"

const host = sharedHost()

const OWN = [
  "agent",
  "agent_version",
  "agent_webhook",
  "compressed_log",
  "erasure",
  "fingerprint_key",
  "idempotency_key",
  "job_run",
  "platform_migration",
  "record_key",
  "run",
  "run_checkpoint",
  "run_content",
  "run_event",
  "schedule",
  "session"
]

/** Functions of a host, and what their tests wait for. */
const makeRecipes = () => {
  const stopped = Promise.withResolvers<unknown>()
  const began = Promise.withResolvers<void>()
  const calls: Array<unknown> = []
  const recipes = {
    greet: async ({ name }: { readonly name: string }, { log, tenant }: RunContext) => {
      await log("Greeting", { name })
      return `Hello ${name} of ${tenant}`
    },
    approve: async ({ amount }: { readonly amount: number }, { ask, checkpoint }: RunContext) => {
      calls.push(checkpoint.state)
      if (checkpoint.state === undefined) await checkpoint.save({ looked: amount })
      const schema = { type: "object", required: ["ok"] }
      const first = await ask(`May I pay ${amount}?`, { amount, schema })
      const second = await ask("Are you sure?")
      return { amount, first, second, state: checkpoint.state }
    },
    hang: async (_: null, { signal }: RunContext) => {
      signal.addEventListener("abort", () => stopped.resolve(signal.reason))
      began.resolve()
      await stopped.promise
    },
    fail: async () => {
      throw new Error("The bank is closed")
    },
    count: async () => 1n
  }
  return { recipes, calls, began: began.promise, stopped: stopped.promise }
}
type TestRecipes = ReturnType<typeof makeRecipes>["recipes"]

const places: ReadonlyArray<readonly [string, (recipes: TestRecipes) => RunsOptions<TestRecipes>]> = [
  ["in memory", (recipes) => ({ memory: true, recipes, log: () => undefined })],
  ["in the host's pool", (recipes) => ({ database: host().pool, recipes, log: () => undefined })],
  ["by a URL", (recipes) => ({ database: host().url, schema: "by_url", recipes, log: () => undefined })]
]

const collect = async (events: AsyncIterable<RunEvent>): Promise<ReadonlyArray<RunEvent>> => {
  const all: Array<RunEvent> = []
  for await (const event of events) all.push(event)
  return all
}

for (const [place, optionsFor] of places) {
  describe(`runs ${place}`, () => {
    it("execute a function for a tenant, and keep its log and its result", async () => {
      const { recipes } = makeRecipes()
      await using runs = createRuns(optionsFor(recipes))
      await runs.migrate()
      await runs.start()
      const tenant = "Acme & Söhne"
      const { id } = await runs.trigger({ tenant, recipe: "greet", input: { name: "Ada" }, tags: ["demo"] })
      const run = await runs.wait(tenant, id)
      assert.deepInclude(run, {
        tenant,
        status: "succeeded",
        result: `Hello Ada of ${tenant}`,
        error: null,
        attempt: 1
      })
      const events = await collect(runs.events(tenant, id))
      assert.deepStrictEqual(
        events.map(({ seq, type }) => [seq, type]),
        [
          [1, "run.queued"],
          [2, "run.started"],
          [3, "log"],
          [4, "run.succeeded"]
        ]
      )
      assert.deepStrictEqual(events[2]?.data, { message: "Greeting", data: { name: "Ada" } })
      assert.deepStrictEqual(await collect(runs.events(tenant, id, { after: 2 })), events.slice(2))
      assert.deepStrictEqual(
        (await runs.list(tenant, { recipe: "greet", tag: "demo", status: "succeeded" })).items.map((one) => one.id),
        [id]
      )
      const failed = await runs.trigger({ tenant, recipe: "fail" })
      assert.deepInclude((await runs.wait(tenant, failed.id)).error, { message: "The bank is closed" })
      const odd = await runs.trigger({ tenant, recipe: "count" })
      assert.deepInclude((await runs.wait(tenant, odd.id)).error, { message: "The result is no JSON" })
      const page = await runs.list(tenant, { limit: 2 })
      const rest = await runs.list(tenant, { limit: 2, after: page.next })
      assert.deepStrictEqual(
        [...page.items, ...rest.items].map((one) => one.id),
        [odd.id, failed.id, id]
      )
      // @ts-expect-error It must not compile, since only registered functions have a name; what JavaScript sends is refused all the same.
      const unknown = () => runs.trigger({ tenant, recipe: "greets", input: { name: "Ada" } })
      assert.strictEqual((await refusal(unknown)).code, "recipe_unknown")
      for (const act of [
        () => runs.get("other", id),
        () => runs.cancel("other", id),
        () => runs.get(tenant, "no-uuid")
      ]) {
        assert.strictEqual((await refusal(act)).code, "run_not_found")
      }
      const foreign = () => collect(runs.events("other", id))
      assert.strictEqual((await refusal(foreign)).code, "run_not_found")
    })

    it("ask, wait for as long as it takes, and go on with what they had", async () => {
      const { calls, recipes } = makeRecipes()
      const tenant = "asking"
      await using asking = createRuns(optionsFor(recipes))
      await asking.migrate()
      await asking.start()
      const { id } = await asking.trigger({ tenant, recipe: "approve", input: { amount: 7 } })
      const waiting = await asking.wait(tenant, id)
      assert.strictEqual(waiting.status, "waiting")
      assert.strictEqual(waiting.question?.message, "May I pay 7?")
      assert.deepStrictEqual(
        (await asking.list(tenant, { status: "waiting" })).items.map((one) => one.id),
        [id]
      )
      const wrong = await refusal(() => asking.reply(tenant, id, { data: { no: 1 } }))
      assert.strictEqual(wrong.code, "answer_invalid")
      const answers = await Promise.allSettled(
        ["yes", "no"].map((message) => asking.reply(tenant, id, { message, data: { ok: message } }))
      )
      const won = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []))
      const lost = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason.code] : []))
      assert.deepStrictEqual([won.length, lost], [1, ["question_answered"]])
      const second = await asking.wait(tenant, won[0]?.id ?? "")
      assert.deepInclude(second, { status: "waiting", continues: id })
      assert.deepInclude(await asking.get(tenant, id), { status: "answered", continuedBy: second.id })
      const third = await asking.reply(tenant, second.id, { message: "quite" })
      const { result, status } = await asking.wait(tenant, third.id)
      assert.strictEqual(status, "succeeded")
      assert.deepInclude(result, { amount: 7, second: { message: "quite", data: null }, state: { looked: 7 } })
      assert.deepStrictEqual(calls, [undefined, { looked: 7 }, { looked: 7 }])
      assert.strictEqual((await refusal(() => asking.reply(tenant, third.id, {}))).code, "run_not_waiting")
    })

    it("are cancelled, and their function is told by its signal", async () => {
      const { began, recipes, stopped } = makeRecipes()
      await using runs = createRuns(optionsFor(recipes))
      await runs.migrate()
      await runs.start()
      const tenant = "cancelling"
      const running = await runs.trigger({ tenant, recipe: "hang", input: null })
      await began
      const behind = await runs.trigger({ tenant, recipe: "greet", input: { name: "B" }, session: running.session })
      const busy = () =>
        runs.trigger({ tenant, recipe: "greet", input: { name: "C" }, session: running.session, ifBusy: "reject" })
      assert.strictEqual((await refusal(busy)).code, "session_busy")
      const cancelled = await runs.cancel(tenant, running.id, { reason: "Not needed", immediately: true })
      assert.strictEqual(cancelled.status, "cancelled")
      assert.instanceOf(await stopped, Error)
      assert.strictEqual((await runs.get(tenant, behind.id)).status, "cancelled")
      const later = await runs.trigger({
        tenant,
        recipe: "greet",
        input: { name: "D" },
        runAt: new Date(Date.now() + 1e9)
      })
      assert.strictEqual((await runs.wait(tenant, later.id, { seconds: 0.01 })).status, "queued")
      const waiting = runs.wait(tenant, later.id)
      const closing = refusal(() => waiting)
      await runs.close()
      assert.strictEqual((await closing).code, "closed")
    })

    it("refuse what cannot be", async () => {
      const { recipes } = makeRecipes()
      await using runs = createRuns(optionsFor(recipes))
      await runs.migrate()
      const trigger = (given: object) => () =>
        runs.trigger({ tenant: "t", recipe: "greet", input: { name: "Ada" }, ...given } as Parameters<
          typeof runs.trigger
        >[0])
      const given: ReadonlyArray<readonly [object, string, RegExp]> = [
        [{ tenant: "" }, "tenant_invalid", /1 to 256 bytes/],
        [{ input: { name: "\u0000" } }, "input_invalid", /U\+0000/],
        [{ input: 1n }, "input_invalid", /JSON/],
        [{ input: "x".repeat(262_144) }, "input_invalid", /262144/],
        [{ session: "01a1fd50-ceeb-745b-8b02-bf48380265e2" }, "session_not_found", /session/],
        [{ runAt: "tomorrow" }, "input_invalid", /runAt/],
        [{ maxAttempts: 11 }, "input_invalid", /1 to 10/],
        [{ tags: [""] }, "input_invalid", /tag/],
        [{ metadata: { a: "\ud800" } }, "input_invalid", /surrogate/],
        [{ priority: 0.5 }, "input_invalid", /priority/]
      ]
      for (const [change, code, said] of given) {
        const error = await refusal(trigger(change))
        assert.strictEqual(error.code, code, JSON.stringify(Object.keys(change)))
        assert.match(error.message, said)
      }
      const noClient = () => runs.trigger({ tenant: "t", recipe: "fail" }, { client: {} as never })
      assert.include(["client_without_database", "input_invalid"], (await refusal(noClient)).code)
      assert.strictEqual((await runs.list("t")).items.length, 0)
    })
  })
}

describe("runs in a host's database", () => {
  it("have tables of their own, by name, and nothing else", async () => {
    const before = await host().everythingBut()
    await using runs = createRuns({ database: host().url, schema: "named", recipes: makeRecipes().recipes })
    assert.strictEqual((await refusal(() => runs.list("acme"))).code, "not_migrated")
    assert.include(await runs.migrate(), "runs_0001_first")
    assert.deepStrictEqual(await host().tablesIn("named"), OWN)
    assert.strictEqual(await host().everythingBut("named"), before)
    assert.deepStrictEqual(await runs.migrate(), [])
  })

  for (const database of ["the host's pool", "a URL"] as const) {
    it(`begin with the commit of the host's transaction, by ${database}, and never after a rollback`, async () => {
      const schema = database === "a URL" ? "guest_by_url" : "guest_by_pool"
      const { recipes } = makeRecipes()
      // So rarely does the worker look by the clock: what it executes it was woken for.
      const rules = { schema, recipes, pollSeconds: 3600 }
      await using runs = createRuns({ database: database === "a URL" ? host().url : host().pool, ...rules })
      await runs.migrate()
      await runs.start()
      const tenant = "acme"
      await using session = await host().session()
      const { client } = session
      const trigger = (name: string) => runs.trigger({ tenant, recipe: "greet", input: { name } }, { client })
      await client.query("begin")
      const undone = await trigger("Undone")
      assert.deepInclude(undone, { status: "queued", tenant })
      await client.query("rollback")
      await client.query("begin")
      const { id } = await trigger("Ada")
      assert.strictEqual((await refusal(() => runs.get(tenant, id))).code, "run_not_found")
      await client.query("commit")
      const committed = Date.now()
      const run = await runs.wait(tenant, id)
      assert.strictEqual(run.result, "Hello Ada of acme")
      assert.isBelow((run.startedAt?.getTime() ?? 0) - committed, 2_000)
      assert.strictEqual((await refusal(() => runs.get(tenant, undone.id))).code, "run_not_found")
      assert.strictEqual((await runs.list(tenant)).items.length, 1)
      // A refusal leaves the host's transaction as it was, and its own failures are thrown as they are.
      await client.query("begin")
      const missing = "01a1fd50-ceeb-745b-8b02-bf48380265e2"
      const lost = () => runs.trigger({ tenant, recipe: "greet", input: { name: "B" }, session: missing }, { client })
      assert.strictEqual((await refusal(lost)).code, "session_not_found")
      await client.query("select 1")
      await client.query("commit")
      assert.strictEqual((await refusal(() => trigger("Outside"))).code, "client_without_transaction")
      const fault = new Error("The host's own")
      const broken = { query: () => Promise.reject(fault) }
      const thrown = await runs.trigger({ tenant, recipe: "fail" }, { client: broken }).catch((error: unknown) => error)
      assert.strictEqual(thrown, fault)
    })
  }

  it("go on in another process, with what was saved, where one hands them back", async () => {
    const seen: Array<unknown> = []
    const began = Promise.withResolvers<void>()
    const recipe = async (_: null, { checkpoint, signal }: RunContext) => {
      seen.push(checkpoint.state)
      if (checkpoint.state !== undefined) return "done"
      await checkpoint.save({ at: "half" })
      began.resolve()
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
    }
    const open = (drainSeconds: number) =>
      createRuns({ database: host().pool, schema: "handed", recipes: { recipe }, drainSeconds, pollSeconds: 0.05 })
    await using one = open(0)
    await one.migrate()
    await one.start()
    const { id } = await one.trigger({ tenant: "t", recipe: "recipe", input: null })
    await began.promise
    await one.close()
    await using two = open(15)
    await two.start()
    assert.deepInclude(await two.wait("t", id), { status: "succeeded", result: "done", attempt: 2 })
    assert.deepStrictEqual(seen, [undefined, { at: "half" }])
  })

  it("are forgotten after their days, by any number of processes at once", async () => {
    const { recipes } = makeRecipes()
    const open = () => createRuns({ database: host().pool, schema: "forgetting", recipes, historyDays: 30 })
    await using writer = createRuns({ database: host().pool, schema: "forgetting", recipes })
    await writer.migrate()
    await writer.start()
    const old = await writer.trigger({ tenant: "t", recipe: "greet", input: { name: "Old" } })
    await writer.wait("t", old.id)
    // Ids begin with their time.
    const then = old.id.replace(/^.{13}/, "016f5e66-e800")
    await host().pool.query(`
      begin;
      alter table forgetting.run_event disable trigger user;
      update forgetting.run_event set run_id = '${then}';
      update forgetting.run set id = '${then}', created_at = '2020-01-01', started_at = '2020-01-01', finished_at = '2020-01-01';
      alter table forgetting.run_event enable trigger user;
      commit
    `)
    const { id } = await writer.trigger({ tenant: "t", recipe: "greet", input: { name: "New" } })
    await writer.wait("t", id)
    const opened = [open(), open(), open()]
    await Promise.all(opened.map((one) => one.start()))
    while ((await writer.list("t")).items.length > 1);
    assert.deepStrictEqual(
      (await writer.list("t")).items.map((run) => run.id),
      [id]
    )
    await Promise.all(opened.map((one) => one.close()))
  })
})
