import { retainedSuite } from "./retained.ts"
import { memory } from "./retainedMemory.ts"

retainedSuite("memory", memory)
