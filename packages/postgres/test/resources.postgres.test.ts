import { layer } from "@agent-platform/postgres"
import {
  agentChangesContract,
  agentSecretsContract,
  inboundWebhookStoreContract,
  recordKeyStoreContract,
  runListContract,
  scheduleStoreContract
} from "@agent-platform/runs/testing"
import { Layer } from "effect"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const postgres = Layer.merge(layer, layerTenants).pipe(Layer.provide(databaseLayer))

agentChangesContract("Postgres", postgres)
agentSecretsContract("Postgres", postgres)
inboundWebhookStoreContract("Postgres", postgres)
recordKeyStoreContract("Postgres", postgres)
runListContract("Postgres", postgres)
scheduleStoreContract("Postgres", postgres)
