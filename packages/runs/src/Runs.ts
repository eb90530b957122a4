import {
  Egress,
  EventLog,
  FeedLog,
  type FingerprintKeyStore,
  Fingerprints,
  Idempotency,
  Outbox,
  Overrides,
  Quotas,
  SecretBox,
  Signals,
  UnitOfWork
} from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { Digest, SecureRandom, Signature } from "effect/crypto"
import { BatchedAcceptance } from "./acceptance/BatchedAcceptance.ts"
import { QueueLimit } from "./acceptance/QueueLimit.ts"
import { AgentRunner } from "./ports/AgentRunner.ts"
import { AgentStore } from "./ports/AgentStore.ts"
import { CheckpointStore } from "./ports/CheckpointStore.ts"
import { InboundWebhookStore } from "./ports/InboundWebhookStore.ts"
import { RecordKeyStore } from "./ports/RecordKeyStore.ts"
import { RunAcceptance } from "./ports/RunAcceptance.ts"
import { RunContentStore } from "./ports/RunContentStore.ts"
import { RunFeed } from "./ports/RunFeed.ts"
import { RunLog } from "./ports/RunLog.ts"
import { RunQueue } from "./ports/RunQueue.ts"
import { RunReader } from "./ports/RunReader.ts"
import { RunSettlement } from "./ports/RunSettlement.ts"
import { ScheduleStore } from "./ports/ScheduleStore.ts"
import { SessionRuns } from "./ports/SessionRuns.ts"
import { SessionStore } from "./ports/SessionStore.ts"
import { SpendGate } from "./ports/SpendGate.ts"
import { SpendGuard } from "./ports/SpendGuard.ts"
import { makeRunHub } from "./RunHub.ts"
import { RunTails } from "./RunTails.ts"
import { archiveAgent } from "./use-cases/archiveAgent.ts"
import { awaitAttemptOver } from "./use-cases/awaitAttemptOver.ts"
import { cancelSession } from "./use-cases/cancelSession.ts"
import { createAgent } from "./use-cases/createAgent.ts"
import { createWebhook } from "./use-cases/createWebhook.ts"
import { deleteWebhook } from "./use-cases/deleteWebhook.ts"
import { exportRunRecord } from "./use-cases/exportRunRecord.ts"
import { findAttempt } from "./use-cases/findAttempt.ts"
import { listRuns } from "./use-cases/listRuns.ts"
import { listSessions } from "./use-cases/listSessions.ts"
import { noteRecordRead } from "./use-cases/noteRecordRead.ts"
import { listAgents, listAgentVersions, readAgent } from "./use-cases/readAgent.ts"
import { readRun } from "./use-cases/readRun.ts"
import { followRunLog, readRunLog } from "./use-cases/readRunLog.ts"
import { readMessages, readSession } from "./use-cases/readSession.ts"
import { type ReceiveCallback, receiveCallback } from "./use-cases/receiveCallback.ts"
import { type ReceiveWebhook, receiveWebhook } from "./use-cases/receiveWebhook.ts"
import { replyToSession } from "./use-cases/replyToSession.ts"
import { listRecordKeys, rotateRecordKey, signRecord } from "./use-cases/signRecord.ts"
import { triggerRun } from "./use-cases/triggerRun.ts"
import { updateAgent } from "./use-cases/updateAgent.ts"

const PORTS = [
  AgentRunner,
  AgentStore,
  CheckpointStore,
  InboundWebhookStore,
  RecordKeyStore,
  ScheduleStore,
  SessionStore,
  RunReader,
  RunAcceptance,
  RunContentStore,
  RunQueue,
  RunSettlement,
  SessionRuns,
  RunLog,
  RunFeed,
  SpendGate,
  SpendGuard,
  EventLog,
  Digest.Digest,
  Egress,
  FeedLog,
  Idempotency,
  Outbox,
  Overrides,
  SecretBox,
  SecureRandom.SecureRandom,
  Signature.Signature,
  Signals,
  UnitOfWork
] as const

/** The ports that an embedder provides. The run worker needs more: `RunWorkerPorts`. */
export type RunsPorts = (typeof PORTS)[number]["Identifier"] | FingerprintKeyStore

const make = Effect.gen(function* () {
  const bind = yield* makeBind(...PORTS, Fingerprints, Quotas, RunTails, QueueLimit, BatchedAcceptance)
  // Few ports are bound at less cost for each call, and reading a run needs no others.
  const bindFew = yield* makeBind(RunReader, Signals)
  const hub = yield* makeRunHub
  return {
    createAgent: bind(createAgent),
    readAgent: bind(readAgent),
    listAgents: bind(listAgents),
    listAgentVersions: bind(listAgentVersions),
    updateAgent: bind(updateAgent),
    archiveAgent: bind(archiveAgent),
    createWebhook: bind(createWebhook),
    deleteWebhook: bind(deleteWebhook),
    // The errors of reading and parsing are the caller's, which `bind` alone would not pass on.
    receiveWebhook: <ReadError, ParseError>(command: ReceiveWebhook<ReadError, ParseError>) =>
      bind(receiveWebhook<ReadError, ParseError>)(command),
    findAttempt: bind(findAttempt),
    awaitAttemptOver: bind(awaitAttemptOver),
    receiveCallback: <ReadError, ParseError>(command: ReceiveCallback<ReadError, ParseError>) =>
      bind(receiveCallback<ReadError, ParseError>)(command),
    triggerRun: bind(triggerRun),
    listRuns: bind(listRuns),
    followRuns: hub.follow,
    exportRunRecord: bind(exportRunRecord),
    noteRecordRead: bind(noteRecordRead),
    signRecord: bind(signRecord),
    listRecordKeys: bind(listRecordKeys),
    rotateRecordKey: bind(rotateRecordKey),
    readRun: bindFew(readRun),
    readRunLog: bind(readRunLog),
    followRunLog: bind(followRunLog),
    listSessions: bind(listSessions),
    readSession: bind(readSession),
    readMessages: bind(readMessages),
    replyToSession: bind(replyToSession),
    cancelSession: bind(cancelSession)
  }
})

/** Agents, sessions and runs: every use case, bound to its ports when the layer is built. */
export class Runs extends Context.Service<Runs, Effect.Success<typeof make>>()("@agent-platform/runs/Runs") {
  static readonly layer: Layer.Layer<Runs, never, RunsPorts> = Layer.effect(Runs, make).pipe(
    Layer.provide([Fingerprints.layer, RunTails.layer, Layer.provideMerge(BatchedAcceptance.layer, QueueLimit.layer)])
  )
}
