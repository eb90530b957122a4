/** The domain over memory or Postgres, with all that it needs. */
import { DEFAULT_QUOTAS, FeedLog, Idempotency, Quotas } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { KeyForms, Keys, LoginStore, RateLimits } from "@agent-platform/keys"
import { layer as storesMemory } from "@agent-platform/keys/memory"
import { PgApiKeyStore, PgUnitOfWork } from "@agent-platform/postgres"
import { Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { layerStores } from "../internal/database.ts"
import { layerLog } from "../internal/runtime.ts"
import { layerMemory as tenantsMemory, layerPostgres as tenantsPostgres } from "./KeyTenants.ts"
import type { KeysSettings } from "./options.ts"

// There are no people here, nobody counts requests, and there is no feed of acts: the host knows who asked it.
const unused = Layer.mergeAll(LoginStore.layerNone, RateLimits.layerUnlimited, Idempotency.layerNone, FeedLog.layerNone)

const postgres = Layer.mergeAll(PgApiKeyStore.layer, PgUnitOfWork.layer, tenantsPostgres)

const memory = Layer.provideMerge(Layer.merge(storesMemory, tenantsMemory), kernelMemory)

/** Everything that the entry point runs. */
export const layerOf = ({ installation, keysMax, log, prefix, scopes }: KeysSettings) => {
  // Keys of a host belong to tenants as a whole; the other kind has the same form, and is never made.
  const form = { prefix, scopes }
  return Keys.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        unused,
        Layer.succeed(KeyForms, { workspace: form, organization: form }),
        Layer.succeed(Quotas, { ...DEFAULT_QUOTAS, api_keys: keysMax }),
        Digest.layerWebCrypto,
        SecureRandom.layerWebCrypto
      )
    ),
    Layer.provideMerge(layerStores(installation, memory, postgres)),
    Layer.provideMerge(layerLog(log))
  )
}
