import { EventId, OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { DateTime } from "effect"
import type { Attempt, Delivery } from "../Delivery.ts"
import { type Endpoint, EndpointId } from "../Endpoint.ts"
import { type Replay, ReplayId } from "../Replay.ts"

const CREATED_AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** An active endpoint for every kind of event, in an organization of its own by default. */
export const anEndpoint = (override: Partial<Endpoint> = {}): Endpoint => ({
  id: anId(EndpointId),
  organizationId: anId(OrganizationId),
  url: "https://receiver.example.com/hooks",
  eventTypes: [],
  workspaceIds: [],
  description: null,
  status: "active",
  disabledReason: null,
  sealedSecret: "sealed by nobody",
  retiringSecrets: [],
  createdAt: CREATED_AT,
  ...override
})

/** A pending delivery that was never attempted and is due since it was made by default. */
export const aDelivery = (override: Partial<Delivery> = {}): Delivery => ({
  endpointId: anId(EndpointId),
  eventId: anId(EventId),
  organizationId: anId(OrganizationId),
  eventType: "run.succeeded",
  state: "pending",
  stateReason: null,
  attemptCount: 0,
  failures: 0,
  nextAttemptAt: CREATED_AT,
  createdAt: CREATED_AT,
  deliveredAt: null,
  ...override
})

/** A first attempt that was answered 200 by default. */
export const anAttempt = (override: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  attemptedAt: CREATED_AT,
  durationMillis: 120,
  responseCode: 200,
  error: null,
  responseExcerpt: "",
  remoteIp: "203.0.113.7",
  ...override
})

/** A replay of a day's dead deliveries that has not begun by default. */
export const aReplay = (override: Partial<Replay> = {}): Replay => ({
  id: anId(ReplayId),
  organizationId: anId(OrganizationId),
  endpointId: anId(EndpointId),
  since: DateTime.subtract(CREATED_AT, { days: 1 }),
  until: CREATED_AT,
  selection: "dead",
  state: "pending",
  stateReason: null,
  position: null,
  replayedCount: 0,
  createdAt: CREATED_AT,
  startedAt: null,
  finishedAt: null,
  ...override
})
