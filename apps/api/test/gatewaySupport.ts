/** An agent of one's own that calls models by the gateway, over real HTTP, with a scripted provider in the place of the world. */
import { EgressGuard } from "@agent-platform/egress"
import { atomic, SecretBox } from "@agent-platform/kernel"
import { ProviderKeyStore, providerKeyPlace } from "@agent-platform/keys"
import { aProviderKey } from "@agent-platform/keys/testing"
import { Platform } from "@agent-platform/platform"
import { RunReader } from "@agent-platform/runs"
import { Effect, Layer, Logger, Queue, Redacted, Schedule } from "effect"
import OpenAI from "openai"
import { layerScriptedServer, ScriptedServer } from "../../../packages/models/test/chat/ScriptedServer.ts"
import { anOwnAgent } from "./ownAgents.ts"
import { BASE_URL, layerMemory, layerOver, type Tenant, TestApi } from "./support.ts"

const PROVIDER_KEY = "sk-fixture-0123456789-abcdefghijkl"

const layerBehind = (url: string) =>
  Platform.layerWorkers({ demo: "full", baseUrl: BASE_URL, runs: { drainSeconds: 0, pollSeconds: 0.05 } }).pipe(
    Layer.provideMerge(
      layerOver(Layer.merge(layerMemory, EgressGuard.layer({ allowLoopback: true })), {
        providerUrls: {
          openai: `${url}/v1`,
          anthropic: `${url}/v1`,
          google: `${url}/v1beta`,
          googleToken: `${url}/token`
        }
      })
    ),
    Layer.provide(Logger.layer([]))
  )

/** The API, workers and a provider. */
export const layerWithGateway = Layer.unwrap(ScriptedServer.use(({ url }) => Effect.succeed(layerBehind(url)))).pipe(
  Layer.provideMerge(layerScriptedServer),
  Layer.fresh
)

/** A key of the workspace for a server on loopback, which no caller may name. */
const aCompatibleKey = Effect.fnUntraced(function* ({ organizationId, workspaceId }: Tenant, baseUrl: string) {
  const box = yield* SecretBox
  const ids = { organizationId: organizationId as never, workspaceId: workspaceId as never }
  const key = aProviderKey({ ...ids, provider: "openai_compatible", baseUrl })
  const sealed = yield* box.seal(providerKeyPlace(key), Redacted.make(PROVIDER_KEY))
  yield* atomic(ProviderKeyStore.use((store) => store.insert(key, sealed)))
})

/** A run that is being executed by an agent of a workspace with keys, and OpenAI's library with the attempt's token. */
export const anAttempt = Effect.fnUntraced(function* (
  settings: Readonly<Record<string, unknown>> = {},
  run: Readonly<Record<string, unknown>> = {}
) {
  const own = yield* anOwnAgent(settings)
  const { url } = yield* ScriptedServer
  const api = yield* TestApi
  const register = (provider: string, more: object = {}) =>
    api.call("POST", `/api/v1/byok/${provider}`, {
      key: own.key,
      body: { key: PROVIDER_KEY, validate: false, ...more }
    })
  yield* aCompatibleKey(own.tenant, `${url}/v1`)
  yield* register("openai")
  yield* register("anthropic")
  const runId = String((yield* own.trigger(run))["run_id"])
  const arrival = yield* Queue.take(own.arrivals)
  const token = String(arrival.json["gateway"]!["token"])
  const baseURL = `${api.url}/api/v1/gateway`
  const openai = new OpenAI({ apiKey: token, baseURL, maxRetries: 0 })
  /** Ends the attempt with a result. */
  const finish = Effect.andThen(
    Effect.sync(() => void arrival.response.end('{"type": "result", "result": 1}\n')),
    RunReader.use((runs) => runs.find(own.tenant.workspaceId as never, runId as never)).pipe(
      Effect.filterOrFail((found) => found?.status === "succeeded"),
      Effect.retry(Schedule.spaced("10 millis"))
    )
  )
  const requests = Effect.map(
    own.api.call("GET", `/api/v1/analytics/runs/${runId}/requests`, { key: own.key }),
    ({ json }) => json["items"] as unknown as ReadonlyArray<Record<string, unknown>>
  )
  return { ...own, runId, arrival, token, openai, baseURL, finish, requests }
})

/** The error of a promise that is rejected. */
export const rejected = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => {
        throw new Error("It was not rejected")
      },
      (error: unknown) => error as InstanceType<typeof OpenAI.APIError> & { readonly error: Record<string, unknown> }
    )
  )
