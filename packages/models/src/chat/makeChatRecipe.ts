/** The `chat` recipe: a model with tools, called with the keys of the workspace. */
import { Egress, type SecretBox } from "@agent-platform/kernel"
import { type ProviderKeys, ToolSecrets } from "@agent-platform/keys"
import type { Recipe, RunContentStore, SessionStore, SpendGuard, Turn, TurnOutcome } from "@agent-platform/runs"
import { Effect, type Scope } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type AgentTools, agentTools } from "../tools/agentTools.ts"
import { openServers } from "../tools/mcpTools.ts"
import { type AccessTokens, makeAccessTokens } from "../vault/accessTokens.ts"
import { makeVaultEgress } from "../vault/VaultEgress.ts"
import { makeGoogleTokens } from "../vertex/googleTokens.ts"
import { beginTurn } from "./beginTurn.ts"
import { agentFailed, type ChatFailed } from "./ChatFailed.ts"
import { makeCallModel } from "./callModel.ts"
import { chatFlawOf } from "./chatFlawOf.ts"
import { executeChatTurn } from "./executeChatTurn.ts"
import { MODEL_FORM, parseModelName } from "./ModelName.ts"
import type { CallSettings, CallTools } from "./modelCall.ts"
import { makeRecentOutputs } from "./recentOutputs.ts"

/** The name of the recipe. */
export const CHAT_RECIPE = "chat"

export type ChatPorts =
  | Egress
  | ProviderKeys
  | RunContentStore
  | ToolSecrets
  | SessionStore
  | SpendGuard
  | SecretBox
  | SecureRandom.SecureRandom

/** Fails where the tool that the model has to call is not there: the tools of servers are known only now. */
const demandChosenTool = Effect.fnUntraced(function* ({ modelSettings }: Turn["agent"], { described }: AgentTools) {
  const { toolChoice } = modelSettings
  if (typeof toolChoice !== "object" || described.some(({ name }) => name === toolChoice.name)) return
  return yield* agentFailed(`There is no tool '${toolChoice.name}', which the agent's tool_choice names`)
})

const makeExecute = (settings: CallTools, tokens: AccessTokens) => {
  const callModel = makeCallModel(settings)
  return Effect.fnUntraced(function* (turn: Turn): Effect.fn.Return<TurnOutcome, ChatFailed, ChatPorts | Scope.Scope> {
    const { agent, redactor, run } = turn
    const name = parseModelName(agent.model)
    if (name === undefined) return yield* agentFailed(`The agent's model ${MODEL_FORM}`)
    const servers = yield* openServers(agent)
    const [egress, secrets] = [yield* Egress, yield* ToolSecrets]
    const vault = makeVaultEgress({ egress, secrets, tokens, redactor, workspaceId: run.workspaceId })
    const tools = yield* agentTools(turn, servers, vault)
    yield* demandChosenTool(agent, tools)
    const conversation = yield* beginTurn(turn, tools)
    return yield* executeChatTurn({ turn, name, tools, callModel }, conversation)
  })
}

/**
 * The recipe over these ports. Loads the providers' SDKs, which a process with `chatDescription` alone has no use for. Its
 * failures are for the agent's owner and hold nothing secret.
 */
export const makeChatRecipe = Effect.fnUntraced(function* (
  settings: CallSettings
): Effect.fn.Return<Recipe, never, ChatPorts> {
  const ports = yield* Effect.context<ChatPorts>()
  const { languageModelOf } = yield* Effect.promise(() => import("./languageModel.ts"))
  const googleTokens = yield* makeGoogleTokens(settings.urls.googleToken)
  const tools = { ...settings, languageModelOf, googleTokens, recentOutputs: makeRecentOutputs() }
  const execute = makeExecute(tools, yield* makeAccessTokens)
  return {
    name: CHAT_RECIPE,
    flawOf: chatFlawOf,
    execute: (turn) =>
      execute(turn).pipe(
        Effect.scoped,
        Effect.catch(({ error, errorCode }) => Effect.succeed<TurnOutcome>({ _tag: "Failed", errorCode, error })),
        Effect.provideContext(ports)
      )
  }
})

/** The recipe as a process knows it that accepts runs and executes none. */
export const chatDescription: Recipe = {
  name: CHAT_RECIPE,
  flawOf: chatFlawOf,
  execute: () => Effect.die(new Error("This process executes no runs of the recipe chat"))
}
