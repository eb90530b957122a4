import { layer as memory } from "@agent-platform/kernel/memory"
import {
  erasureStoreContract,
  eventLogContract,
  feedLogContract,
  fingerprintKeyStoreContract,
  idempotencyContract,
  jobHistoryContract,
  outboxContract,
  recordEraserContract,
  signalsContract,
  templateStoreContract,
  unitOfWorkContract
} from "@agent-platform/kernel/testing"
import {
  apiKeyStoreContract,
  keyEraserContract,
  loginStoreContract,
  memberStoreContract,
  providerKeyStoreContract,
  rateLimitsContract,
  tenancyStoreContract,
  toolSecretStoreContract
} from "@agent-platform/keys/testing"
import { layer as postgres } from "@agent-platform/postgres"
import {
  deliveryContract,
  deliveryEraserContract,
  deliveryHistoryContract,
  deliveryProtocolContract,
  endpointStoreContract,
  eventDispatchContract,
  eventFeedContract,
  replayStoreContract
} from "@agent-platform/webhooks/testing"
import { Layer } from "effect"
import { databaseLayer } from "./support/database.ts"
import { feedReading } from "./support/feedReading.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = layerTenants.pipe(Layer.provideMerge(postgres), Layer.provideMerge(databaseLayer))
// Other services that a suite needs are in memory.
const withMemory = Layer.provideMerge(layer, memory)

unitOfWorkContract("Postgres", layer)
erasureStoreContract("Postgres", layer)
templateStoreContract("Postgres", layer)
recordEraserContract("Postgres", layer)
eventLogContract("Postgres", layer)
feedLogContract("Postgres", layer, feedReading)
fingerprintKeyStoreContract("Postgres", layer)
idempotencyContract("Postgres", layer)
jobHistoryContract("Postgres", layer)
outboxContract("Postgres", withMemory)
signalsContract("Postgres", layer)
tenancyStoreContract("Postgres", layer)
keyEraserContract("Postgres", layer)
memberStoreContract("Postgres", layer)
loginStoreContract("Postgres", layer)
providerKeyStoreContract("Postgres", layer)
toolSecretStoreContract("Postgres", layer)
apiKeyStoreContract("Postgres", withMemory)
rateLimitsContract("Postgres", layer)
endpointStoreContract("Postgres", withMemory)
deliveryContract("Postgres", layer)
deliveryEraserContract("Postgres", layer)
deliveryHistoryContract("Postgres", layer)
deliveryProtocolContract("Postgres", layer)
replayStoreContract("Postgres", layer)
eventDispatchContract("Postgres", withMemory)
eventFeedContract("Postgres", layer)
