/** Broken adapters of `Egress`, for the suite of requests that are begun. */
import { Egress } from "@agent-platform/kernel"
import { aResponse, layer } from "@agent-platform/kernel/memory"
import { egressContract } from "@agent-platform/kernel/testing"
import { Effect, Exit, Layer } from "effect"
import { bite } from "./bite.ts"
import { memoryReceivers } from "./memoryReceivers.ts"

const egressThat = (broken: (egress: Egress["Service"]) => Partial<Egress["Service"]>) =>
  Layer.provideMerge(
    Layer.effect(
      Egress,
      Egress.use((egress) => Effect.succeed(Egress.of({ ...egress, ...broken(egress) })))
    ),
    layer
  )

bite(
  "an egress that reports an outcome twice",
  () =>
    egressContract(
      "an egress that reports twice",
      egressThat((egress) => ({
        begin: (request, ended) =>
          egress.begin(request, (exit) => {
            ended(exit)
            ended(exit)
          })
      })),
      memoryReceivers
    ),
  [
    "reports the response that sending the same request brings",
    "reports the failure that sending the same request brings",
    "reports once for each of many",
    "does nothing when a request that has ended is cancelled"
  ]
)

bite(
  "an egress that reports a request that was cancelled",
  () =>
    egressContract(
      "an egress that reports too much",
      egressThat((egress) => ({
        begin: (request, ended) => {
          const cancel = egress.begin(request, ended)
          return () => {
            cancel()
            ended(Exit.interrupt())
          }
        }
      })),
      memoryReceivers
    ),
  ["reports nothing of a request that was cancelled", "does nothing when a request that has ended is cancelled"]
)

bite(
  "an egress that takes every answer for a success",
  () =>
    egressContract(
      "an egress that knows no failure",
      egressThat((egress) => ({
        begin: (request, ended) =>
          egress.begin(request, (exit) => ended(Exit.isSuccess(exit) ? exit : Exit.succeed(aResponse(200))))
      })),
      memoryReceivers
    ),
  ["reports the failure that sending the same request brings"]
)
