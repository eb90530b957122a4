// Imported first, since only schemas that are made after it are compiled, and these decode and encode twice as fast.
import "effect/schema/SchemaJITCompiler/enable"
import { runApp } from "@agent-platform/process"
import { layer } from "./layers.ts"

runApp("api", layer)
