import { temporaryKeysContract } from "@agent-platform/keys/testing"
import { memory } from "./support.ts"

temporaryKeysContract("keys over memory", memory)
