/** The recipe against each provider's own wire form, as a stand-in for all of them speaks it. */
import type { WorkspaceCaller } from "@agent-platform/kernel"
import type { Provider } from "@agent-platform/keys"
import { startRunWorker } from "@agent-platform/runs"
import { LLMock } from "@copilotkit/aimock"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RecordedSpend } from "./RecordedSpend.ts"
import { ScriptedServer } from "./ScriptedServer.ts"
import { tokenServer, VERTEX_KEY } from "./serviceAccount.ts"
import { aChatAgent, aKey, ended, founded, layerBehind, logOf, trigger } from "./support.ts"

const TOOL = "http_request"

/** A stand-in that answers, and calls for a tool when it is asked for the time. */
const withMock = <A, E, R>(use: (mock: LLMock) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const mock = new LLMock({ port: 0 })
      const usage = { prompt_tokens: 40, completion_tokens: 8, input_tokens: 40, output_tokens: 8 }
      const counted = { usage: { ...usage, total_tokens: 48, promptTokenCount: 40, candidatesTokenCount: 8 } }
      const hasResult = (messages: ReadonlyArray<{ readonly role: string }>) =>
        messages.some(({ role }) => role === "tool")
      mock.on({ predicate: ({ messages }) => hasResult(messages) }, { content: "It rains.", ...counted })
      mock.on(
        { userMessage: /time/ },
        // Another reason than this, and the stand-in for Gemini would seem to have called for nothing.
        {
          toolCalls: [{ name: TOOL, arguments: JSON.stringify({ url: "https://nowhere.invalid/" }) }],
          finishReason: "stop",
          ...counted
        }
      )
      mock.onMessage(/.*/, { content: "Good morning, all of you.", ...counted })
      await mock.start()
      return mock
    }),
    use,
    (mock) => Effect.promise(() => mock.stop())
  )

/** Everything over the stand-in; a scripted server is there for the support's sake. */
const over = (mock: LLMock) =>
  Layer.merge(
    Layer.unwrap(Effect.map(tokenServer, ({ url }) => layerBehind(mock.url, undefined, undefined, url))),
    Layer.succeed(ScriptedServer, { url: mock.url, asked: [], script: () => undefined, until: () => Effect.void })
  )

const PROVIDERS: ReadonlyArray<readonly [Provider, name: string]> = [
  ["openai", "openai"],
  ["anthropic", "anthropic"],
  ["google", "gcp.gemini"],
  ["azure", "azure.ai.openai"],
  ["bedrock", "aws.bedrock"],
  ["vertex", "gcp.vertex_ai"],
  ["openai_compatible", "openai_compatible"]
]

const MODELS: Readonly<Record<Provider, string>> = {
  openai: "gpt-4o",
  anthropic: "claude-sonnet-4-5",
  google: "gemini-2.5-flash",
  azure: "gpt-4o",
  bedrock: "anthropic.claude-sonnet-4-5-20250929-v1:0",
  vertex: "gemini-2.5-flash",
  openai_compatible: "llama-3"
}

const given = Effect.fnUntraced(function* (provider: Provider) {
  const caller: WorkspaceCaller = yield* founded()
  yield* aKey(caller, { provider }, provider === "vertex" ? VERTEX_KEY : undefined)
  const agent = yield* aChatAgent(caller, { model: `${provider}/${MODELS[provider]}`, tools: [TOOL] })
  yield* startRunWorker({ drainSeconds: 0 })
  return { caller, agent, spend: yield* RecordedSpend }
})

describe("an agent that chats", () => {
  for (const [provider, name] of PROVIDERS) {
    it.live(`streams the answer of ${provider}, with its count`, () =>
      withMock((mock) =>
        Effect.gen(function* () {
          const { agent, caller, spend } = yield* given(provider)
          const run = yield* trigger(caller, agent)
          const after = yield* ended(caller, run.id)
          assert.deepInclude(after, { status: "succeeded", error: null, message: "Good morning, all of you." })
          const logged = (yield* logOf(caller, run.id)).flatMap(({ data, type }) =>
            type === "message.delta" ? [data["text"]] : []
          )
          assert.strictEqual(logged.join(""), "Good morning, all of you.")
          const [recorded] = spend.calls
          assert.strictEqual(recorded?.call.provider, name)
          assert.strictEqual(recorded?.call.requestModel, MODELS[provider])
          assert.deepInclude(recorded?.end?.usage, { inputTokens: 40, outputTokens: 8 })
          assert.strictEqual(recorded?.end?.status, "ok")
        }).pipe(Effect.scoped, Effect.provide(over(mock)))
      )
    )

    it.live(`lets the model of ${provider} use a tool, and gives it the result`, () =>
      withMock((mock) =>
        Effect.gen(function* () {
          const { agent, caller, spend } = yield* given(provider)
          const after = yield* ended(caller, (yield* trigger(caller, agent, { prompt: "What is the time?" })).id)
          assert.deepInclude(after, { status: "succeeded", error: null, message: "It rains." })
          assert.strictEqual(spend.calls.length, 2)
          const log = yield* logOf(caller, after.id)
          const used = log.find(({ type }) => type === "tool.completed")
          assert.deepInclude(used?.data, { name: TOOL, is_error: true })
        }).pipe(Effect.scoped, Effect.provide(over(mock)))
      )
    )
  }

  it.live("sends the key of the workspace and no other, whatever keys and addresses the environment holds", () =>
    withMock((mock) =>
      Effect.gen(function* () {
        const names = ["OPENAI", "ANTHROPIC", "GOOGLE", "GOOGLE_GENERATIVE_AI", "GEMINI", "AZURE", "AZURE_OPENAI"].map(
          (name) => `${name}_API_KEY`
        )
        const set = [
          ...names,
          "AZURE_RESOURCE_NAME",
          "OPENAI_ORGANIZATION",
          "OPENAI_PROJECT",
          "ANTHROPIC_AUTH_TOKEN",
          "AWS_BEARER_TOKEN_BEDROCK"
        ]
        const addresses = ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"]
        const before = [...set, ...addresses].map((name) => [name, process.env[name]] as const)
        yield* Effect.gen(function* () {
          for (const name of set) process.env[name] = `from-the-environment-${name}`
          for (const name of addresses) process.env[name] = "http://127.0.0.1:9"
          for (const [provider] of PROVIDERS) {
            const { agent, caller } = yield* given(provider)
            mock.clearRequests()
            assert.strictEqual((yield* ended(caller, (yield* trigger(caller, agent)).id)).status, "succeeded")
            const sent = JSON.stringify(mock.getRequests().map(({ headers, path }) => ({ headers, path })))
            assert.notInclude(sent, "from-the-environment")
            assert.strictEqual(mock.getRequests().length, 1)
          }
          // A workspace without a key is not served by what lies around.
          const caller = yield* founded()
          const agent = yield* aChatAgent(caller, { model: "openai/gpt-4o" })
          mock.clearRequests()
          const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
          assert.deepInclude(after, { status: "failed", errorCode: "provider_key_missing" })
          assert.isEmpty(mock.getRequests())
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              for (const [name, value] of before) {
                if (value === undefined) delete process.env[name]
                else process.env[name] = value
              }
            })
          )
        )
      }).pipe(Effect.scoped, Effect.provide(over(mock)))
    )
  )
})
