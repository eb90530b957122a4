import { layer } from "@agent-platform/postgres"
import {
  agentStoreContract,
  checkpointStoreContract,
  runContentStoreContract,
  runEraserContract,
  runFeedContract,
  runHistoryContract,
  runLogContract,
  runOutcomesContract,
  runQueueContract,
  runStoreContract,
  sessionContract,
  sessionListContract
} from "@agent-platform/runs/testing"
import { Layer } from "effect"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const postgres = Layer.provide(Layer.merge(layer, layerTenants), databaseLayer)

agentStoreContract("Postgres", postgres)
runStoreContract("Postgres", postgres)
runQueueContract("Postgres", postgres)
sessionContract("Postgres", postgres)
sessionListContract("Postgres", postgres)
runLogContract("Postgres", postgres)
runEraserContract("Postgres", postgres)
runFeedContract("Postgres", postgres)
runHistoryContract("Postgres", postgres)
checkpointStoreContract("Postgres", postgres)
runContentStoreContract("Postgres", postgres)
runOutcomesContract("Postgres", postgres)
