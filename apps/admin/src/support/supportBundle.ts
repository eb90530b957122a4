/** The facts of a deployment that help to find a fault and may be given away. See docs/operations.md#a-support-bundle. */
import { arch, availableParallelism, platform, release, totalmem } from "node:os"
import { queueSchema } from "@agent-platform/pg-boss"
import { faultOf } from "@agent-platform/platform"
import { schemaState, supportFacts } from "@agent-platform/postgres"
import { read, settings, VERSION } from "@agent-platform/process"
import { Cause, DateTime, Effect } from "effect"
import { layerReadings } from "../layers.ts"
import { errorKindOf } from "./errorKind.ts"
import { findingsSection } from "./findingsSection.ts"
import { settingsSection } from "./settingsSection.ts"
import { jobsSection, readingsSection } from "./workSections.ts"

/** The name of this form of bundles. Its number changes when a section changes its meaning. */
const FORMAT = "agent-platform-support/1"

/** How long one section may take; a database that has trouble is when a bundle is wanted. */
const SECTION = "30 seconds"

/** A section, or the kind of error for which there is none. */
const orKind = <A, E, R>(section: Effect.Effect<A, E, R>) =>
  section.pipe(
    Effect.timeout(SECTION),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed({ unavailable: errorKindOf(faultOf(cause)) })
    )
  )

const versions = Effect.gen(function* () {
  return {
    platform: VERSION,
    revision: yield* Effect.orElseSucceed(read(settings.buildRevision), () => "invalid"),
    runtime: process.versions["deno"] === undefined ? "node" : "deno",
    runtime_version: process.versions["deno"] ?? process.versions.node,
    system: platform(),
    system_release: release(),
    architecture: arch(),
    processors: availableParallelism(),
    memory_bytes: totalmem()
  }
})

const overDatabase = Effect.gen(function* () {
  const facts = supportFacts(yield* queueSchema)
  return {
    schema_state: yield* schemaState,
    jobs: yield* orKind(jobsSection),
    readings: yield* orKind(readingsSection),
    ...(yield* Effect.all(Object.fromEntries(Object.entries(facts).map(([name, read]) => [name, orKind(read)]))))
  }
})

/** Collects the bundle. Never fails: a section that cannot be read is replaced by the kind of its error. */
export const supportBundle = Effect.gen(function* () {
  const ofDatabase = Effect.flatMap(read(settings.databaseUrl), (url) =>
    Effect.provide(overDatabase, layerReadings(url))
  )
  return {
    format: FORMAT,
    made_at: DateTime.formatIso(yield* DateTime.now),
    versions: yield* versions,
    settings: yield* orKind(settingsSection),
    findings: yield* orKind(findingsSection),
    database: yield* orKind(ofDatabase)
  }
})
