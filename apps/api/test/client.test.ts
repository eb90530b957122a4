/** The typed client of the contract against the server: both sides of the wire agree. */
import { Client } from "@agent-platform/contract"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { layerWithWorkers, type Tenant, TestApi } from "./support.ts"

/** Runs `use` with a client of the tenant, over its workspace's key or as its organization in that workspace. */
const asClient = Effect.fnUntraced(function* <A, E>(
  tenant: Tenant,
  who: "workspace" | "organization",
  use: (client: Client["Service"]) => Effect.Effect<A, E>
) {
  const { url } = yield* TestApi
  const options =
    who === "workspace"
      ? { baseUrl: url, apiKey: Redacted.make(tenant.workspaceKey) }
      : { baseUrl: url, apiKey: Redacted.make(tenant.orgKey), workspaceId: tenant.workspaceId }
  return yield* Effect.flatMap(Client, use).pipe(
    Effect.provide(Client.layer(options)),
    Effect.provide(FetchHttpClient.layer)
  )
})

layer(layerWithWorkers, { excludeTestServices: true })("the typed client", (it) => {
  it.effect("creates an agent, triggers a run, reads it and follows its log", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      for (const who of ["workspace", "organization"] as const) {
        yield* asClient(tenant, who, (client) =>
          Effect.gen(function* () {
            const agent = yield* client.agents.createAgent({
              headers: {},
              payload: { name: "Greeter", recipe: "demo" }
            })
            const triggered = yield* client.runs.triggerRun({
              headers: { "idempotency-key": who },
              payload: {
                agentId: agent.body.agentId,
                message: "Hi",
                priority: 0,
                maxDurationSeconds: 60,
                maxAttempts: 1,
                ifBusy: "enqueue",
                waitSeconds: 20
              }
            })
            assert.strictEqual(triggered.body.status, "succeeded")
            const params = { run_id: triggered.body.runId }
            const run = yield* client.runs.getRun({ params, query: { wait_seconds: 0 } })
            assert.deepStrictEqual(run, triggered.body)
            const log = yield* client.runs.getRunLog({ params, query: { after: 0, limit: 50 }, headers: {} })
            if (!Stream.isStream(log)) return assert.fail("The log is a stream unless JSON is asked for")
            const events = yield* Stream.runCollect(log)
            assert.strictEqual(Array.from(events).at(-1)?.event, "run.succeeded")
          })
        )
      }
    })
  )

  it.effect("gets problems as failures with their codes", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const codes = yield* asClient(tenant, "workspace", (client) =>
        Effect.all([
          client.runs
            .getRun({ params: { run_id: "nonsense" }, query: { wait_seconds: 0 } })
            .pipe(Effect.catchTag("NotFound", ({ code }) => Effect.succeed(code))),
          client.webhooks
            .listEndpoints({ query: { limit: 1 } })
            .pipe(Effect.catchTag("Forbidden", ({ code }) => Effect.succeed(code))),
          client.agents
            .createAgent({ headers: {}, payload: { name: "x", recipe: "magic" } })
            .pipe(Effect.catchTag("UnprocessableContent", ({ errors }) => Effect.succeed(errors?.[0]?.pointer)))
        ])
      )
      assert.deepStrictEqual<unknown>(codes, ["not_found", "org_key_required", "/recipe"])
    })
  )
})
