import { layer } from "@agent-platform/postgres"
import {
  agentStoreContract,
  runListContract,
  runLogContract,
  runQueueContract,
  runStoreContract,
  sessionContract
} from "@agent-platform/runs/testing"
import { Layer } from "effect"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const postgres = Layer.provide(layer, databaseLayer)
const withTenants = Layer.merge(layer, layerTenants).pipe(Layer.provide(databaseLayer))

agentStoreContract("Postgres", postgres)
runStoreContract("Postgres", postgres)
runQueueContract("Postgres", postgres)
sessionContract("Postgres", postgres)
runLogContract("Postgres", postgres)
runListContract("Postgres", withTenants)
