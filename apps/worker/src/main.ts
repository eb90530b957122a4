import { keepNewObjectsYoung, runApp } from "@agent-platform/process"
import { layer } from "./layers.ts"

keepNewObjectsYoung()
runApp("worker", layer)
