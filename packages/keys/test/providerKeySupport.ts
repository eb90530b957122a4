/** The domain of provider keys over memory, and the steps that its tests share. */
import { atomic, type EventRecord, SecretBox, type WorkspaceCaller } from "@agent-platform/kernel"
import { feedTables, layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  PlatformKeys,
  type ProbeOutcome,
  type ProviderKey,
  ProviderKeyStore,
  ProviderKeys,
  providerKeyPlace,
  type RegisterProviderKey,
  TenancyStore
} from "@agent-platform/keys"
import { layerProviderProbe, MemoryProviderProbe, layer as stores } from "@agent-platform/keys/memory"
import { anOrganization, aProviderKey, aWorkspace } from "@agent-platform/keys/testing"
import { Effect, Layer, Redacted } from "effect"
import { Digest } from "effect/crypto"

export const KEY = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"
export const PLATFORM_KEY = "sk-the-platforms-own-0123456789"

export const PLATFORM_BASE_URL = "https://platform.openai.azure.com/openai/v1"

/** The whole domain over memory, with a platform's key for OpenAI and one for Azure. */
export const memory = ProviderKeys.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      stores,
      layerProviderProbe,
      PlatformKeys.layer({
        openai: { value: Redacted.make(PLATFORM_KEY), baseUrl: null },
        azure: { value: Redacted.make(PLATFORM_KEY), baseUrl: PLATFORM_BASE_URL }
      }),
      Digest.layerWebCrypto
    )
  ),
  Layer.provideMerge(kernel),
  Layer.fresh
)

/** A caller in a workspace that is there. */
export const founded = Effect.fnUntraced(function* (options: { readonly allowPlatformKeys?: boolean } = {}) {
  const store = yield* TenancyStore
  const organization = anOrganization()
  const workspace = aWorkspace({ organizationId: organization.id, ...options })
  yield* atomic(Effect.andThen(store.insertOrganization(organization), store.insertWorkspace(workspace)))
  return aCaller({ organizationId: organization.id, workspaceId: workspace.id })
})

/** Sets the answer of every provider. */
export const answer = (outcome: ProbeOutcome) =>
  MemoryProviderProbe.use((probe) => Effect.sync(() => probe.answerWith(() => Effect.succeed(outcome))))

/** A registration with nothing special about it. */
export const aRegistration = (
  caller: WorkspaceCaller,
  override: Partial<RegisterProviderKey> = {}
): RegisterProviderKey => ({
  caller,
  provider: "openai",
  value: Redacted.make(KEY),
  name: "Production",
  baseUrl: null,
  allowedModels: null,
  priority: 100,
  fallback: "none",
  validate: true,
  idempotency: undefined,
  ...override
})

/** Registers a key and answers it. */
export const register = (caller: WorkspaceCaller, override: Partial<RegisterProviderKey> = {}) =>
  ProviderKeys.use((keys) => keys.registerProviderKey(aRegistration(caller, override))).pipe(
    Effect.map(({ value }) => value)
  )

/** Stores a key in a state that takes long to come to. */
export const stored = Effect.fnUntraced(function* (
  { organizationId, workspaceId }: WorkspaceCaller,
  override: Partial<ProviderKey> = {},
  value = KEY
) {
  const store = yield* ProviderKeyStore
  const box = yield* SecretBox
  const key = aProviderKey({ organizationId, workspaceId, ...override })
  yield* atomic(store.insert(key, yield* box.seal(providerKeyPlace(key), Redacted.make(value))))
  return key
})

/** The key as it is kept. */
export const kept = ({ id, workspaceId }: Pick<ProviderKey, "id" | "workspaceId">) =>
  Effect.gen(function* () {
    const key = yield* ProviderKeyStore.use((store) => store.find(workspaceId, id))
    return key ?? (yield* Effect.die(new Error("The key is kept")))
  })

/** The entries of the feeds and of the event log, oldest first. */
export const reported = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const { activity, notification } = feedTables(database)
  return {
    activity: yield* activity.all,
    notices: yield* notification.all,
    events: yield* database.table<EventRecord>("event").all
  }
})
