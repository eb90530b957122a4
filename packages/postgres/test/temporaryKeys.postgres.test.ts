import { Keys, Tenancy, WorkspaceSpend } from "@agent-platform/keys"
import { temporaryKeysContract } from "@agent-platform/keys/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { databaseLayer } from "./support/database.ts"

const layer = Layer.merge(Keys.layer, Tenancy.layer).pipe(
  Layer.provide([WorkspaceSpend.layerNothing, SecureRandom.layerWebCrypto, Digest.layerWebCrypto]),
  Layer.provideMerge(postgres),
  Layer.provideMerge(databaseLayer)
)

temporaryKeysContract("keys over Postgres", layer)
