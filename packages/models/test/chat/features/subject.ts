/** The models of the support table: how they are called, and the refusals of their providers. */
import type { Provider } from "@agent-platform/keys"
import { type Agent, type ModelSettings, Runs, startRunWorker, type TriggerRun } from "@agent-platform/runs"
import { Effect } from "effect"
import { RecordedSpend } from "../RecordedSpend.ts"
import { type Answer, type Asked, json, ScriptedServer } from "../ScriptedServer.ts"
import { VERTEX_KEY } from "../serviceAccount.ts"
import { aChatAgent, aKey, ended, founded, KEY, logOf, trigger } from "../support.ts"
import { type Interface, WIRES, type Wire } from "../wires.ts"
import type { Subject } from "./table.ts"

interface Spoken {
  readonly provider: Provider
  readonly model: string
  readonly by: Interface
}

/** A model for each. */
export const SPOKEN: Readonly<Record<Subject, Spoken>> = {
  openai: { provider: "openai", model: "gpt-5", by: "openai" },
  azure: { provider: "azure", model: "my-deployment", by: "openai" },
  anthropic: { provider: "anthropic", model: "claude-sonnet-4-5", by: "anthropic" },
  google: { provider: "google", model: "gemini-2.5-flash", by: "google" },
  "vertex, Gemini": { provider: "vertex", model: "gemini-2.5-flash", by: "google" },
  "vertex, Claude": { provider: "vertex", model: "claude-sonnet-4-5@20250929", by: "anthropic" },
  "bedrock, Claude": {
    provider: "bedrock",
    model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    by: "bedrock"
  },
  "bedrock, Nova 2": { provider: "bedrock", model: "us.amazon.nova-2-lite-v1:0", by: "bedrock" },
  "bedrock, others": { provider: "bedrock", model: "meta.llama3-1-70b-instruct-v1:0", by: "bedrock" },
  openai_compatible: { provider: "openai_compatible", model: "small", by: "openai_compatible" }
}

/** The path of the address that each is called at. */
export const PATHS: Readonly<Record<Subject, string>> = {
  openai: "/v1/responses",
  azure: "/v1/responses",
  anthropic: "/v1/messages",
  google: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
  "vertex, Gemini":
    "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
  "vertex, Claude":
    "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
  "bedrock, Claude": "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
  "bedrock, Nova 2": "/model/us.amazon.nova-2-lite-v1%3A0/converse-stream",
  "bedrock, others": "/model/meta.llama3-1-70b-instruct-v1%3A0/converse-stream",
  openai_compatible: "/v1/chat/completions"
}

const keyOf = (provider: Provider): string => (provider === "vertex" ? VERTEX_KEY : KEY)

/** The body of a request, to be looked into. */
export type Body = Readonly<Record<string, unknown>>

export const bodyOf = ({ body }: Asked): Body => body as never

/** A workspace with a key for the subject, and how an agent with its model is run there while it answers like this. */
export const given = Effect.fnUntraced(function* (subject: Subject) {
  const { by, model, provider } = SPOKEN[subject]
  const caller = yield* founded()
  const key = yield* aKey(caller, { provider, priority: 1 }, keyOf(provider))
  yield* startRunWorker({ drainSeconds: 0, graceSeconds: 1 })
  const server = yield* ScriptedServer
  const spend = yield* RecordedSpend
  const anAgent = (modelSettings: ModelSettings, override: Partial<Agent> = {}) =>
    aChatAgent(caller, { model: `${provider}/${model}`, modelSettings, ...override })
  /** Runs an agent once, maybe in a session: the run, its log, and what was asked for it. */
  const turn = Effect.fnUntraced(function* (
    agent: Agent,
    answers: ReadonlyArray<Answer>,
    override: Partial<TriggerRun> = {}
  ) {
    const from = server.asked.length
    server.script(...answers)
    const run = yield* ended(caller, (yield* trigger(caller, agent, override)).id)
    const log = yield* logOf(caller, run.id)
    return { run, log, asked: server.asked.slice(from) }
  })
  const run = Effect.fnUntraced(function* (
    modelSettings: ModelSettings,
    answers: ReadonlyArray<Answer>,
    override: Partial<Agent> = {}
  ) {
    return yield* turn(yield* anAgent(modelSettings, override), answers)
  })
  const cancel = (sessionId: Effect.Success<ReturnType<typeof trigger>>["sessionId"]) =>
    Runs.use((runs) => runs.cancelSession({ caller, sessionId, reason: null, mode: "graceful" }))
  const wire: Wire = WIRES[by]
  return { caller, key, provider, server, spend, wire, anAgent, turn, run, cancel }
})

/** The texts of events of a log, one after the other. */
export const textOf = (log: Effect.Success<ReturnType<typeof logOf>>, type: string): string =>
  log.flatMap((event) => (event.type === type ? [String(event.data["text"] ?? event.data["message"])] : [])).join("")

/** Another key of the same provider. */
export const anotherKey = (subject: Subject, caller: Effect.Success<ReturnType<typeof founded>>) => {
  const { provider } = SPOKEN[subject]
  return aKey(caller, { provider, priority: 2 }, provider === "vertex" ? VERTEX_KEY : `${KEY}-2`)
}

const openai = (message: string, code: string, type = "invalid_request_error") =>
  json(400, { error: { message, type, param: null, code } })
const anthropic = (message: string) => json(400, { type: "error", error: { type: "invalid_request_error", message } })
const google = (message: string) => json(400, { error: { code: 400, message, status: "INVALID_ARGUMENT" } })
const amazon = (message: string) =>
  json(400, { message }, { "x-amzn-errortype": "ValidationException:http://internal.amazon.com/coral/" })

/** The refusals of a conversation that a model does not take as a whole. */
export const TOO_LONG: Readonly<Record<Subject, Answer>> = {
  openai: openai("Your input exceeds the context window of this model.", "context_length_exceeded"),
  azure: openai("This model's maximum context length is 128000 tokens.", "context_length_exceeded"),
  anthropic: anthropic("prompt is too long: 213462 tokens > 200000 maximum"),
  google: google("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
  "vertex, Gemini": google(
    "Unable to submit request because the input token count is 1200000 but the model only supports up to 1048576."
  ),
  "vertex, Claude": anthropic("input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000"),
  "bedrock, Claude": amazon("Input is too long for requested model."),
  "bedrock, Nova 2": amazon("Input Tokens Exceeded: Number of input tokens exceeds maximum length."),
  "bedrock, others": amazon(
    "The model returned the following errors: This model's maximum context length is 8192 tokens. Please reduce the length."
  ),
  openai_compatible: json(400, {
    object: "error",
    message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    type: "BadRequestError",
    param: null,
    code: 400
  })
}

/** The refusals of an address that cannot be read. */
export const UNREADABLE: Readonly<Partial<Record<Subject, Answer>>> = {
  openai: openai("Error while downloading the image.", "invalid_image_url"),
  azure: openai("Failed to download image from the URL.", "BadRequest"),
  anthropic: anthropic("Unable to download the file. Please verify the URL and try again."),
  openai_compatible: json(400, { error: { message: "Failed to fetch the image from its URL", code: 400 } })
}

const SIGNATURE = "messages.1.content.0: Invalid `signature` in `thinking` block"
const ENCRYPTED = openai("The encrypted content could not be verified", "invalid_encrypted_content")

/** The refusals of reasoning that cannot be read, and how that looks on the wire. */
export const REASONING: Readonly<Partial<Record<Subject, readonly [refused: Answer, shown: string]>>> = {
  openai: [ENCRYPTED, '"encrypted_content":"e"'],
  azure: [ENCRYPTED, '"encrypted_content":"e"'],
  anthropic: [anthropic(SIGNATURE), '"signature":"s"'],
  "vertex, Claude": [anthropic(SIGNATURE), '"signature":"s"'],
  "bedrock, Claude": [amazon(`The model returned the following errors: ${SIGNATURE}`), '"signature":"s"'],
  "bedrock, Nova 2": [amazon("The reasoning signature is not valid."), '"signature":"s"'],
  google: [google("Corrupted thought signature."), '"thoughtSignature":"s"'],
  "vertex, Gemini": [google("Thought signature is not valid"), '"thoughtSignature":"s"']
}
