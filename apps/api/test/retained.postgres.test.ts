import { retainedSuite } from "../../../packages/platform/test/retained.ts"
import { layerPorts } from "./overPostgres.ts"

retainedSuite("Postgres", layerPorts)
