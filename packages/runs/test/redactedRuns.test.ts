/** Secrets in what recipes hand over. */
import { EventLog, FeedLog, type NotificationRecord, Outbox, SecretBox } from "@agent-platform/kernel"
import {
  endpointSecretPlace,
  mcpHeadersPlace,
  type Recipe,
  RunLog,
  startRunWorker,
  type TurnOutcome
} from "@agent-platform/runs"
import { anAgent } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { aStoredAgent, memory, soon, trigger } from "./support.ts"

// Put together here, so that nobody who looks for secrets finds one in this file.
const FORM = `gh${"p"}_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789`
const HEADER = "tools-header-0123456789"
const ENDPOINT = `wh${"sec"}_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0`
const ADDED = "opened-by-the-recipe"
const ALL = `${FORM} ${HEADER} ${ENDPOINT} ${ENDPOINT.slice(6)} ${ADDED}`

const leaking: Readonly<Record<string, TurnOutcome>> = {
  succeeded: { _tag: "Succeeded", result: { [ALL]: [ALL] }, message: ALL },
  paused: { _tag: "Paused", message: ALL, interrupt: { question: ALL } },
  failed: { _tag: "Failed", errorCode: "agent_error", error: ALL }
}

/** An agent with a secret for its endpoint and a header for a server of tools. */
const anAgentWithSecrets = Effect.gen(function* () {
  const box = yield* SecretBox
  const plain = anAgent()
  const sealedSecret = yield* box.seal(endpointSecretPlace(plain), Redacted.make(ENDPOINT))
  const headers = Redacted.make(JSON.stringify({ authorization: `Bearer ${HEADER}` }))
  const server = { name: "tools", url: "https://tools.example.com/mcp" }
  const sealedHeaders = yield* box.seal(mcpHeadersPlace(plain, server), headers)
  return { id: plain.id, sealedSecret, server: { ...server, sealedHeaders, tools: null }, plain }
})

const leak = (outcome: TurnOutcome): Recipe => ({
  name: "leak",
  execute: ({ emit, redactor }) => {
    redactor.add(ADDED)
    return Effect.as(emit("log", { message: ALL, [ALL]: { more: [ALL] } }), outcome)
  }
})

describe("secrets that a recipe hands over", () => {
  for (const [how, outcome] of Object.entries(leaking)) {
    it.effect(`are redacted of a run that ends ${how}, its log, its event and its notice`, () =>
      Effect.gen(function* () {
        const notices: Array<NotificationRecord> = []
        const log = yield* FeedLog
        yield* startRunWorker().pipe(
          Effect.provideService(FeedLog, {
            ...log,
            notify: (...more) =>
              Effect.andThen(
                Effect.sync(() => notices.push(...more)),
                log.notify(...more)
              )
          })
        )
        const { plain, sealedSecret, server } = yield* anAgentWithSecrets
        const caller = { organizationId: plain.organizationId, workspaceId: plain.workspaceId }
        const of = yield* aStoredAgent({
          ...plain,
          ...caller,
          recipe: "leak",
          endpoint: { url: "https://agents.example.com/run", sealedSecret, retiring: null },
          mcpServers: [server]
        })
        const run = yield* soon(yield* trigger({ ...of, caller: { ...of.caller, ...caller } }))
        assert.strictEqual(run.paused ? "paused" : run.status, how)
        const taken = yield* Outbox.use((outbox) => outbox.take(100))
        const events = yield* EventLog.use((all) => all.find(taken.map(({ id }) => id)))
        assert.strictEqual(events.length, 1)
        assert.strictEqual(notices.length, how === "succeeded" ? 0 : 1)
        const left = {
          run,
          log: yield* RunLog.use((all) => all.read(run.id, { after: 0, limit: 100 })),
          events,
          notices
        }
        const text = JSON.stringify(left)
        for (const secret of [FORM, HEADER, ENDPOINT.slice(6), ADDED]) assert.notInclude(text, secret)
        assert.include(text, "[redacted: access_token] [redacted: secret]")
      }).pipe(Effect.scoped, Effect.provide(memory(leak(outcome))))
    )
  }
})
