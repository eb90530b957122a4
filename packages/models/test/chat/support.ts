/** Agents that chat, over memory and real HTTP: the whole of the domains, with a scripted server in the place of the world. */
import { EgressGuard } from "@agent-platform/egress"
import { atomic, SecretBox, type WorkspaceCaller } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  needsBaseUrl,
  PlatformKeys,
  type Provider,
  type ProviderKey,
  ProviderKeyStore,
  ProviderKeys,
  providerKeyPlace,
  TenancyStore,
  ToolSecrets
} from "@agent-platform/keys"
import { layer as keyStores, layerProviderProbe } from "@agent-platform/keys/memory"
import { anOrganization, aProviderKey, aWorkspace } from "@agent-platform/keys/testing"
import { makeChatRecipe, type StreamTimeouts } from "@agent-platform/models"
import {
  type Agent,
  AgentRunner,
  AgentStore,
  isTerminal,
  mcpHeadersPlace,
  RUN_EVENT_DATA,
  Runs,
  SpendGate,
  type TriggerRun
} from "@agent-platform/runs"
import { layer as runStores } from "@agent-platform/runs/memory"
import { anAgent, aTrigger } from "@agent-platform/runs/testing"
import { Effect, Layer, Redacted, Schema } from "effect"
import { layerRecordedSpend } from "./RecordedSpend.ts"
import { layerScriptedServer, ScriptedServer } from "./ScriptedServer.ts"
import { tokenServer } from "./serviceAccount.ts"

/** A key that looks like one of a provider's and is none. */
export const KEY = "sk-fixture-0123456789-abcdefghijkl"
export const PLATFORM_KEY = "sk-platform-9876543210-zyxwvutsrq"

/** The stores of all domains in memory. */
export const stores = Layer.mergeAll(runStores, keyStores, layerProviderProbe).pipe(Layer.provideMerge(kernel))

/** The platform's own keys, one with an address and one without. */
const platformKeys = (url: string) =>
  PlatformKeys.layer({
    openai: { value: Redacted.make(PLATFORM_KEY), baseUrl: null },
    azure: { value: Redacted.make(PLATFORM_KEY), baseUrl: `${url}/platform/v1` }
  })

const layerOpen = EgressGuard.layer({ allowLoopback: true })

/** Everything over providers that are all found behind `url`. */
export const layerBehind = (
  url: string,
  timeouts?: StreamTimeouts,
  out: typeof layerOpen = layerOpen,
  googleToken = `${url}/token`
) => {
  const urls = { openai: `${url}/v1`, anthropic: `${url}/v1`, google: `${url}/v1beta`, googleToken }
  const runner = Layer.unwrap(Effect.map(makeChatRecipe({ urls, timeouts }), (chat) => AgentRunner.layer([chat]))).pipe(
    Layer.provide(out)
  )
  return Runs.layer.pipe(
    Layer.provideMerge(runner),
    Layer.provideMerge(
      Layer.mergeAll(ProviderKeys.layer, Layer.provide(ToolSecrets.layer, out), layerRecordedSpend, SpendGate.layerOpen)
    ),
    Layer.provideMerge(Layer.merge(stores, platformKeys(url))),
    Layer.fresh
  )
}

/** Everything over the scripted server. */
export const layerWith = (timeouts?: StreamTimeouts, out?: typeof layerOpen) =>
  Layer.unwrap(ScriptedServer.use(({ url }) => Effect.succeed(layerBehind(url, timeouts, out)))).pipe(
    Layer.provideMerge(layerScriptedServer),
    Layer.fresh
  )

export const layer = layerWith()

/** Everything over the scripted server, with Google's tokens given elsewhere, so that it is asked by models alone. */
export const layerOfModels = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* ScriptedServer
    const tokens = yield* tokenServer
    return layerBehind(url, undefined, undefined, tokens.url)
  })
).pipe(Layer.provideMerge(layerScriptedServer), Layer.fresh)

/** A caller in a workspace that is there. */
export const founded = Effect.fnUntraced(function* (options: { readonly allowPlatformKeys?: boolean } = {}) {
  const store = yield* TenancyStore
  const organization = anOrganization()
  const workspace = aWorkspace({ organizationId: organization.id, ...options })
  yield* atomic(Effect.andThen(store.insertOrganization(organization), store.insertWorkspace(workspace)))
  return aCaller({ organizationId: organization.id, workspaceId: workspace.id })
})

/** Where a server at `url` serves a provider whose keys have addresses. */
const baseUrlOf = (provider: Provider, url: string): string =>
  provider === "bedrock" ? url : provider === "vertex" ? `${url}/v1/projects/p/locations/l` : `${url}/v1`

/** A key of the workspace, for the scripted server as a compatible one by default. */
export const aKey = Effect.fnUntraced(function* (
  { organizationId, workspaceId }: WorkspaceCaller,
  override: Partial<ProviderKey> = {},
  value = KEY
) {
  const box = yield* SecretBox
  const { url } = yield* ScriptedServer
  const provider = override.provider ?? "openai_compatible"
  const baseUrl = needsBaseUrl(provider) ? baseUrlOf(provider, url) : null
  const key = aProviderKey({ organizationId, workspaceId, provider, baseUrl, ...override })
  const sealed = yield* box.seal(providerKeyPlace(key), Redacted.make(value))
  yield* atomic(ProviderKeyStore.use((store) => store.insert(key, sealed)))
  return key
})

/** An agent that is stored. Headers of its servers are sealed for it. */
export const aChatAgent = Effect.fnUntraced(function* (
  caller: WorkspaceCaller,
  override: Partial<Agent> = {},
  servers: ReadonlyArray<{
    readonly name: string
    readonly url: string
    readonly headers?: object
    readonly tools?: ReadonlyArray<string>
  }> = []
) {
  const box = yield* SecretBox
  const made = anAgent(caller, {
    recipe: "chat",
    model: "openai_compatible/small",
    instructions: "Be brief.",
    ...override
  })
  const mcpServers = yield* Effect.forEach(servers, ({ headers = {}, name, tools = null, url }) =>
    Effect.map(box.seal(mcpHeadersPlace(made, { name }), Redacted.make(JSON.stringify(headers))), (sealedHeaders) => ({
      name,
      url,
      sealedHeaders,
      tools
    }))
  )
  const agent: Agent = { ...made, mcpServers }
  yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
  return agent
})

/** Triggers a run of the agent. */
export const trigger = (caller: WorkspaceCaller, agent: Agent, override: Partial<TriggerRun> = {}) =>
  Runs.use((runs) => runs.triggerRun(aTrigger(caller, agent, { prompt: "Hello", input: null, ...override }))).pipe(
    Effect.map(({ value }) => value)
  )

/** The run once it has ended. */
export const ended = Effect.fnUntraced(function* (
  caller: WorkspaceCaller,
  runId: Effect.Success<ReturnType<typeof trigger>>["id"]
) {
  const run = yield* Runs.use((runs) => runs.readRun({ caller, runId, waitSeconds: 30 }))
  return isTerminal(run) ? run : yield* Effect.die(new Error(`The run is still ${run.status}`))
})

/** The events of a run's log: their types and what they say. */
export const logOf = (caller: WorkspaceCaller, runId: Effect.Success<ReturnType<typeof trigger>>["id"]) =>
  Runs.use((runs) => runs.readRunLog({ caller, runId, after: 0, limit: 500 })).pipe(
    Effect.map(({ items }) => items),
    // Whatever a chat logs has the members that the document promises of its type.
    Effect.tap((items) =>
      Effect.forEach(items, ({ data, type }) =>
        Schema.decodeUnknownEffect(RUN_EVENT_DATA[type] as Schema.Codec<unknown>)(data).pipe(Effect.orDie)
      )
    )
  )
