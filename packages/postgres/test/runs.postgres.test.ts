import { layer } from "@agent-platform/postgres"
import { agentStoreContract, runListContract, runLogContract, runStoreContract } from "@agent-platform/runs/testing"
import { Layer } from "effect"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const postgres = Layer.provide(layer, databaseLayer)
const withTenants = Layer.merge(layer, layerTenants).pipe(Layer.provide(databaseLayer))

agentStoreContract("Postgres", postgres)
runStoreContract("Postgres", postgres)
runLogContract("Postgres", postgres)
runListContract("Postgres", withTenants)
