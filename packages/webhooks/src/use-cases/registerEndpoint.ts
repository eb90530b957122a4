import {
  createdBefore,
  Egress,
  freshId,
  type IdempotencyRequest,
  idempotently,
  type OrganizationCaller,
  QuotaExceeded,
  Quotas,
  SecretBox,
  UnitOfWork,
  type WorkspaceId
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import { recordEndpointAct } from "../activity.ts"
import { ActiveEndpointsMax, type Endpoint, EndpointId, EndpointLimitReached, secretPlace } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { generateSecret } from "../Signature.ts"
import { readEndpoint } from "./readEndpoint.ts"

export interface RegisterEndpoint {
  readonly caller: OrganizationCaller
  readonly url: string
  readonly eventTypes: ReadonlyArray<string>
  /** Workspaces that the caller has found to be the organization's; all of them unless given. */
  readonly workspaceIds?: ReadonlyArray<WorkspaceId> | undefined
  readonly description: string | null
  readonly idempotency: IdempotencyRequest | undefined
}

/** The endpoint and its signing secret, which is shown only once: it is null when the request comes again. */
export interface RegisteredEndpoint {
  readonly endpoint: Endpoint
  readonly secret: Redacted.Redacted | null
}

/** The endpoint that an earlier request made. */
export const readRegistered = (caller: OrganizationCaller, endpointId: EndpointId) =>
  Effect.map(readEndpoint({ caller, endpointId }), (endpoint): RegisteredEndpoint => ({ endpoint, secret: null }))

/**
 * Registers an endpoint. Fails with UrlNotPublic, with EndpointLimitReached when `ActiveEndpointsMax` are active, however many register
 * at once, and with QuotaExceeded when too many are kept, active and disabled together. Spec: Organization webhooks; Limits.
 */
export const registerEndpoint = useCase("webhooks.registerEndpoint")(function* (command: RegisterEndpoint) {
  const { organizationId } = command.caller
  const store = yield* EndpointStore
  const box = yield* SecretBox
  const unit = yield* UnitOfWork
  const egress = yield* Egress
  // A request that comes again is answered with the endpoint that it made, wherever the host's name leads by now.
  if ((yield* createdBefore(command.idempotency)) === undefined) yield* egress.admit(command.url, "webhooks")

  const create = Effect.gen(function* () {
    yield* store.hold(organizationId)
    const active = yield* store.countActive(organizationId)
    const activeMax = yield* ActiveEndpointsMax
    if (active >= activeMax) return yield* new EndpointLimitReached({ limit: activeMax })
    // Every event that matches a disabled endpoint becomes a row, so that these have a bound as well.
    const { webhook_endpoints: limit } = yield* Quotas
    if ((yield* store.countKept(organizationId, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota: "webhook_endpoints", of: "organization", limit })
    }
    const id = yield* freshId(EndpointId)
    const secret = yield* generateSecret
    const endpoint: Endpoint = {
      id,
      organizationId,
      url: command.url,
      eventTypes: [...new Set(command.eventTypes)],
      workspaceIds: [...new Set(command.workspaceIds)],
      description: command.description,
      status: "active",
      disabledReason: null,
      sealedSecret: yield* box.seal(secretPlace(id), secret),
      retiringSecrets: [],
      createdAt: yield* DateTime.now
    }
    yield* store.insert(endpoint)
    yield* recordEndpointAct(command.caller.actor, endpoint, "created", {
      event_types: endpoint.eventTypes,
      ...(endpoint.workspaceIds.length === 0 ? {} : { workspace_ids: endpoint.workspaceIds })
    })
    const registered: RegisteredEndpoint = { endpoint, secret }
    return registered
  })

  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create,
      idOf: (registered) => registered.endpoint.id,
      find: (id) => readRegistered(command.caller, EndpointId.make(id))
    })
  )
})
