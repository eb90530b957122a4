/** The facts of a deployment that help to find a fault and may be given away. See docs/operations.md#a-support-bundle. */
import { arch, availableParallelism, platform, release, totalmem } from "node:os"
import { queueSchema } from "@agent-platform/pg-boss"
import { cancellable, schemaState, supportFacts } from "@agent-platform/postgres"
import { read, settings, VERSION } from "@agent-platform/process"
import { DateTime, Effect } from "effect"
import { DATABASE_SECONDS_MAX } from "../doctor/examine.ts"
import { layerReadings } from "../layers.ts"
import { findingsSection } from "./findingsSection.ts"
import { orKind, SECTION_SECONDS_MAX, sectionOf, sectionsOver } from "./sections.ts"
import { settingsSection } from "./settingsSection.ts"
import { jobsSection, readingsSection } from "./workSections.ts"

/** The name of this form of bundles. Its number changes when a section changes its meaning. */
const FORMAT = "agent-platform-support/1"

/** How long the findings may take: longer than the doctor waits for the database, so that those without it are there. */
const FINDINGS_SECONDS_MAX = DATABASE_SECONDS_MAX + SECTION_SECONDS_MAX

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

const ofDatabase = Effect.gen(function* () {
  const connection = layerReadings(yield* read(settings.databaseUrl))
  return yield* sectionsOver(connection, {
    schema_state: cancellable(schemaState),
    jobs: cancellable(jobsSection),
    readings: readingsSection,
    ...supportFacts(yield* queueSchema)
  })
})

/** Collects the bundle. Never fails: a section that cannot be read is replaced by the kind of its error. */
export const supportBundle = Effect.gen(function* () {
  return {
    format: FORMAT,
    made_at: DateTime.formatIso(yield* DateTime.now),
    versions: yield* versions,
    settings: yield* sectionOf(settingsSection),
    findings: yield* sectionOf(findingsSection, FINDINGS_SECONDS_MAX),
    database: yield* orKind(ofDatabase)
  }
})
