/** The settings that say where requests may go, and the guard that they make. */
import {
  type AllowedTarget,
  EgressGuard,
  type EgressGuardOptions,
  formatAllowedTarget,
  parseAllowedTargets
} from "@agent-platform/egress"
import { type Egress, EgressPurpose } from "@agent-platform/kernel"
import { parseDatabaseUrl } from "@agent-platform/toolkit"
import { Effect, Layer, Redacted, Result } from "effect"
import { parseBoolean, Refusal, readAll, type Setting, type SettingInvalid, setting, settingsIn } from "./Setting.ts"
import { databaseReplicaUrl, databaseUrl, metricsPort, port } from "./settings.ts"

export const egressAllowLoopback = setting({
  variable: "EGRESS_ALLOW_LOOPBACK",
  decides:
    "Whether requests of every purpose may go to http and https on this machine's loopback, but for the platform's own ports. For trying " +
    "things out only.",
  expects: "true or false",
  fallback: "false",
  parse: parseBoolean
})

const allowing = (purpose: EgressPurpose, subject: string) =>
  setting<ReadonlyArray<AllowedTarget>>({
    variable: `EGRESS_ALLOW_${purpose.toUpperCase()}`,
    decides: `Where ${subject} may be beside public addresses over https: see [the private network](operations.md#the-private-network).`,
    expects:
      "networks, hosts and suffixes such as 10.20.0.0/16, vllm.internal:8000 and *.svc.cluster.local with commas between them, each with " +
      "http:// in front where plain http is meant",
    fallback: "",
    parse: (text) => Result.getOrElse(parseAllowedTargets(text), (detail) => new Refusal(detail))
  })

/** The targets that are admitted for each purpose. */
export const egressAllow: Readonly<Record<EgressPurpose, Setting<ReadonlyArray<AllowedTarget>>>> = {
  webhooks: allowing(
    "webhooks",
    "receivers of webhooks (an exception to the [specification](specification.md#webhook-endpoint))"
  ),
  agents: allowing("agents", "agents of the recipe `http`"),
  providers: allowing("providers", "model providers and base URLs of provider keys"),
  tools: allowing("tools", "targets of the tool `http_request`"),
  mcp: allowing("mcp", "MCP servers of agents"),
  content: allowing("content", "images and documents that callers send by their addresses")
}

/** The usual port of Postgres. It is closed as well, since DATABASE_URL may name a pooler with the database behind it. */
const POSTGRES_PORT = 5432

const declared = {
  allowLoopback: egressAllowLoopback,
  allow: egressAllow,
  databaseUrl,
  databaseReplicaUrl,
  metricsPort,
  port
}

/** Every setting that the guard reads, for the documentation. */
export const EGRESS_SETTINGS: ReadonlyArray<Setting<unknown>> = settingsIn(declared)

const databasePorts = (url: Redacted.Redacted | null): ReadonlyArray<number> =>
  url === null ? [] : Result.getOrThrow(parseDatabaseUrl(Redacted.value(url))).hosts.map((host) => host.port)

/** The metrics ports of the other processes of `npm start`: three take ports in a row, and this may be any of them. */
const neighbours = (metrics: number | null): ReadonlyArray<number> =>
  metrics === null ? [] : [-2, -1, 1, 2].map((distance) => metrics + distance)

/**
 * The guard's options in this process. Addresses that only these settings admit are not called at the ports of databases and of this
 * process's metrics, nor, on this machine, at the ports of the API and of other processes' metrics.
 */
export const readEgress: Effect.Effect<EgressGuardOptions, SettingInvalid> = Effect.map(
  readAll(declared),
  ({ allow, allowLoopback, ...given }) => ({
    allowLoopback,
    allow,
    closedPorts: {
      anywhere: new Set([
        POSTGRES_PORT,
        ...databasePorts(given.databaseUrl),
        ...databasePorts(given.databaseReplicaUrl),
        ...(given.metricsPort === null ? [] : [given.metricsPort])
      ]),
      here: new Set([given.port, ...neighbours(given.metricsPort)])
    }
  })
)

/** A sentence for each setting by which these options admit more than public addresses over HTTPS. */
export const admittedBy = ({ allow, allowLoopback }: EgressGuardOptions) => [
  ...(allowLoopback
    ? [{ setting: egressAllowLoopback, says: "is on: requests may go to this machine's loopback" }]
    : []),
  ...EgressPurpose.literals.flatMap((purpose) => {
    const targets = allow?.[purpose] ?? []
    return targets.length === 0
      ? []
      : [{ setting: egressAllow[purpose], says: `admits ${targets.map(formatAllowedTarget).join(", ")}` }]
  })
]

/** The guard by the settings of this process, which logs what they admit. Fails with SettingInvalid. */
export const layerEgress: Layer.Layer<Egress, SettingInvalid> = Layer.unwrap(
  Effect.gen(function* () {
    const options = yield* readEgress
    for (const { says, setting } of admittedBy(options)) yield* Effect.logWarning(`${setting.variable} ${says}`)
    return EgressGuard.layer(options)
  })
)
