import { RequestFailed } from "@agent-platform/kernel"
import { aResponse, MemoryEgress } from "@agent-platform/kernel/memory"
import type { EgressReceivers } from "@agent-platform/kernel/testing"
import { Effect } from "effect"

const RECEIVERS: EgressReceivers = {
  answering: "https://answering.example.com/",
  failing: "https://failing.example.com/",
  silent: "https://silent.example.com/"
}

const refused = new RequestFailed({
  reason: "connect_failed",
  detail: "The connection was refused",
  remoteAddress: null,
  durationMillis: 1
})

/** Sets how the memory egress answers, and says where. */
export const memoryReceivers = Effect.map(MemoryEgress, (egress) => {
  egress.respondWith(({ url }) => {
    if (url === RECEIVERS.silent) return Effect.never
    if (url === RECEIVERS.failing) return Effect.fail(refused)
    return Effect.succeed({ ...aResponse(201), body: new TextEncoder().encode("made") })
  })
  return RECEIVERS
})
