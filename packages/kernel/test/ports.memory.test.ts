import { layer } from "@agent-platform/kernel/memory"
import {
  eventLogContract,
  idempotencyContract,
  jobQueueContract,
  secretBoxContract,
  signalsContract,
  unitOfWorkContract
} from "@agent-platform/kernel/testing"

unitOfWorkContract("memory", layer)
eventLogContract("memory", layer)
jobQueueContract("memory", layer)
signalsContract("memory", layer)
secretBoxContract("memory", layer)
idempotencyContract("memory", layer)
