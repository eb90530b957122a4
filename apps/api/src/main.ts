// First of all: what is compiled before the schemas are made decodes and encodes twice as fast.
import "effect/schema/SchemaJITCompiler/enable"
import { runApp } from "@agent-platform/process"
import { layer } from "./layers.ts"

runApp("api", layer)
