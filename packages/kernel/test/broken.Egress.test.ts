/** Ways out that are broken on purpose, for the suite of exchanges that are begun. */
import { Egress } from "@agent-platform/kernel"
import { anAnswer, layer } from "@agent-platform/kernel/memory"
import { exchangeContract } from "@agent-platform/kernel/testing"
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
  "an egress that tells twice what came of an exchange",
  () =>
    exchangeContract(
      "an egress that tells twice",
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
    "tells the answer that waiting for the same exchange brings",
    "tells the failure that waiting for the same exchange brings",
    "tells once of each of many",
    "takes calling off what has ended for nothing"
  ]
)

bite(
  "an egress that tells of an exchange that was called off",
  () =>
    exchangeContract(
      "an egress that tells what nobody asks",
      egressThat((egress) => ({
        begin: (request, ended) => {
          const callOff = egress.begin(request, ended)
          return () => {
            callOff()
            ended(Exit.interrupt())
          }
        }
      })),
      memoryReceivers
    ),
  ["tells nothing of an exchange that was called off", "takes calling off what has ended for nothing"]
)

bite(
  "an egress that takes every answer for a success",
  () =>
    exchangeContract(
      "an egress that knows no failure",
      egressThat((egress) => ({
        begin: (request, ended) =>
          egress.begin(request, (exit) => ended(Exit.isSuccess(exit) ? exit : Exit.succeed(anAnswer(200))))
      })),
      memoryReceivers
    ),
  ["tells the failure that waiting for the same exchange brings"]
)
