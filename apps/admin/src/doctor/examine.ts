/** Looks at a whole deployment. */
import { type EgressPurpose, JobHistory } from "@agent-platform/kernel"
import { inspectQueue } from "@agent-platform/pg-boss"
import { CLOCK, faultOf, JOB_KINDS } from "@agent-platform/platform"
import {
  inspectDatabase,
  inspectWork,
  layerClient,
  PgJobHistory,
  requireSessions,
  schemaState
} from "@agent-platform/postgres"
import { read, readEgress, settings } from "@agent-platform/process"
import { parseDatabaseUrl } from "@agent-platform/toolkit"
import { DateTime, Effect, Option, Redacted, Result } from "effect"
import { connectionFinding, settingFindings, trySecrets } from "./configurationFindings.ts"
import { clockFinding, databaseFindings, poolerFinding, schemaFinding, sessionsFinding } from "./databaseFindings.ts"
import { egressFinding } from "./egressFinding.ts"
import { type Finding, found } from "./Finding.ts"
import { replicaFinding } from "./replicaFinding.ts"
import { queueFindings, scheduleFindings, workFindings } from "./workFindings.ts"

/** How long the database has to answer all questions. */
export const DATABASE_SECONDS_MAX = 45

const isPooled = (url: Redacted.Redacted) =>
  Effect.as(requireSessions(url), false).pipe(Effect.catchTag("DatabasePooled", () => Effect.succeed(true)))

const queues = (url: Redacted.Redacted) => Effect.map(inspectQueue({ url }, JOB_KINDS), queueFindings)

/** Checks that depend on the tables of this release. */
const overSchema = Effect.gen(function* () {
  const latest = yield* JobHistory.use((history) => history.latest)
  return [...workFindings(yield* inspectWork), ...scheduleFindings(CLOCK, latest, yield* DateTime.now)]
}).pipe(Effect.provide(PgJobHistory.layer))

const overDatabase = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  poolMax: number,
  replica: Redacted.Redacted | null
) {
  // Over such a pooler the other checks would fail in misleading ways.
  if (yield* isPooled(url)) return { findings: [poolerFinding], isReadable: false }
  const before = yield* DateTime.now
  const facts = yield* inspectDatabase
  const clock = clockFinding(facts.now, before, yield* DateTime.now)
  const schema = schemaFinding(yield* schemaState)
  const isReadable = schema.level === "ok"
  const findings: ReadonlyArray<Finding> = [
    sessionsFinding,
    ...databaseFindings(facts, poolMax),
    schema,
    clock,
    ...(replica === null ? [] : [yield* replicaFinding(replica)]),
    ...(yield* queues(url)),
    ...(isReadable ? yield* overSchema : [])
  ]
  return { findings, isReadable }
})

const unreachable = (why: string) => ({
  findings: [
    found(
      "problem",
      "database.reachable",
      `The database cannot be asked: ${why}`,
      "See that Postgres runs, that DATABASE_URL names it and that its role and password are right."
    )
  ],
  isReadable: false
})

/** The URL that is called to see that requests of a purpose get out. */
export interface EgressTarget {
  readonly url: string
  readonly purpose: EgressPurpose
}

/** Every finding about the deployment that this process can make. Without a target nobody outside is called. */
export const examine = Effect.fn("admin.examine")(function* (target: EgressTarget | undefined) {
  const findings: Array<Finding> = [...(yield* settingFindings)]
  const url = Option.getOrUndefined(yield* Effect.option(read(settings.databaseUrl)))
  const poolMax = yield* Effect.orElseSucceed(read(settings.databasePoolMax), () =>
    Number(settings.databasePoolMax.fallback)
  )
  const replica = yield* Effect.orElseSucceed(read(settings.databaseReplicaUrl), () => null)
  if (url !== undefined) {
    findings.push(connectionFinding(Result.getOrThrow(parseDatabaseUrl(Redacted.value(url)))))
    const { findings: ofDatabase, isReadable } = yield* overDatabase(url, poolMax, replica).pipe(
      Effect.provide(layerClient({ url, maxConnections: 1, applicationName: "agent-platform-admin" })),
      Effect.timeout(`${DATABASE_SECONDS_MAX} seconds`),
      Effect.catchCause((cause) => Effect.succeed(unreachable(faultOf(cause))))
    )
    findings.push(...ofDatabase)
    const secretsKey = Option.getOrUndefined(yield* Effect.option(read(settings.secretsKey)))
    if (isReadable && secretsKey !== undefined) findings.push(yield* trySecrets(url, secretsKey))
  }
  // Settings that cannot be read are a finding already.
  const egress = yield* Effect.orElseSucceed(readEgress, () => undefined)
  if (target !== undefined && egress !== undefined)
    findings.push(yield* egressFinding(target.url, target.purpose, egress))
  return findings
})
