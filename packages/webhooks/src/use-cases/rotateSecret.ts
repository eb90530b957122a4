import {
  type IdempotencyRequest,
  idempotently,
  type OrganizationCaller,
  SecretBox,
  UnitOfWork
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { recordEndpointAct } from "../activity.ts"
import { Endpoint, type EndpointId, EndpointInactive, EndpointNotFound, secretPlace } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { generateSecret } from "../Signature.ts"
import { type RegisteredEndpoint, readRegistered } from "./registerEndpoint.ts"

export interface RotateSecret {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  /** How long the secret that is replaced signs on, 0 to `GRACE_SECONDS_MAX`. */
  readonly graceSeconds: number
  readonly idempotency: IdempotencyRequest | undefined
}

/**
 * Gives an endpoint a new signing secret and returns it, this once: it is null when the request comes again. Until the grace
 * of the replaced secret is over, both sign. Fails with EndpointInactive for a deleted endpoint.
 */
export const rotateSecret = useCase("webhooks.rotateSecret")(function* (command: RotateSecret) {
  const endpoints = yield* EndpointStore
  const box = yield* SecretBox
  const unit = yield* UnitOfWork
  const create = Effect.gen(function* () {
    const before = yield* endpoints.findToChange(command.caller.organizationId, command.endpointId)
    if (before === undefined) return yield* new EndpointNotFound()
    if (before.status === "deleted") return yield* new EndpointInactive({ status: before.status })
    const secret = yield* generateSecret
    const sealed = yield* box.seal(secretPlace(before.id), secret)
    const endpoint = Endpoint.rotated(before, sealed, { graceSeconds: command.graceSeconds, now: yield* DateTime.now })
    yield* endpoints.replace(endpoint)
    yield* recordEndpointAct(command.caller.actor, endpoint, "secret_rotated", { grace_seconds: command.graceSeconds })
    const rotated: RegisteredEndpoint = { endpoint, secret }
    return rotated
  })
  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create,
      idOf: ({ endpoint }) => endpoint.id,
      find: () => readRegistered(command.caller, command.endpointId)
    })
  )
})
