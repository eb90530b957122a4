import { runApp } from "@agent-platform/process"
import { layer } from "./layers.ts"

runApp("worker", layer)
