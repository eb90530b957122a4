import { heldPersonsContract } from "@agent-platform/keys/testing"
import { memory } from "./support.ts"

heldPersonsContract("keys over memory", memory)
