/** Holds the chart against its schema and Kubernetes' own types, and the manifests against the chart. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv } from "ajv"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { CHART, manifestPages, readAbout, readValues, type Values, writeChart } from "../helm/chart.ts"
import { documentsByName, manifestsOf, OTHERS } from "./chartValues.ts"
import { checkManifests, podOf, readManifests } from "./deployment.ts"
import { TOP_FOLDER } from "./repository.ts"

const jobOf = (values: Values): string | undefined =>
  manifestsOf(values).find(({ document }) => document.kind === "Job")?.document.metadata?.name

/** The places of all values that are no map, as in `["api", "replicas"]`. */
const placesOf = (values: Values): ReadonlyArray<ReadonlyArray<string>> =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === "object" && !Array.isArray(value)
      ? placesOf(value as Values).map((place) => [name, ...place])
      : [[name]]
  )

const at = (values: Values, place: ReadonlyArray<string>): unknown =>
  place.reduce<unknown>((inner, name) => (inner as Values)[name], values)

const nested = (place: ReadonlyArray<string>, value: unknown): Values =>
  place.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Values

describe("infra/kubernetes", () => {
  it("is what the chart comes to; `npm run docs` makes it so", () => {
    for (const [path, text] of Object.entries(manifestPages())) {
      assert.strictEqual(readFileSync(join(TOP_FOLDER, path), "utf8"), text, path)
    }
    const written = readManifests().filter(({ file }) => `infra/kubernetes/${file}` in manifestPages())
    const beside = new Set(readManifests().map(({ file }) => file))
    for (const { file } of written) beside.delete(file)
    assert.sameMembers([...beside], ["namespace.yaml", "secret.example.yaml"])
  })
})

describe("infra/helm/agent-platform", () => {
  const schema = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8"))
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema)

  it("is of the release of package.json, chart and image", () => {
    const { version } = JSON.parse(readFileSync(join(TOP_FOLDER, "package.json"), "utf8"))
    const about = readAbout()
    assert.deepStrictEqual([about.version, about.appVersion], [version, version])
  })

  it("has values that its schema admits, and no others", () => {
    const own = readValues()
    assert.isTrue(isValid(own), JSON.stringify(isValid.errors))
    assert.isTrue(isValid(OTHERS), JSON.stringify(isValid.errors))
    const wrong: ReadonlyArray<Values> = [
      { imag: { tag: "1" } },
      { api: { ...OTHERS.api, replica: 2 } },
      { api: { ...OTHERS.api, replicas: 0 } },
      { api: { ...OTHERS.api, drainSeconds: "10" } },
      { worker: { ...OTHERS.worker, resources: { limits: { cpu: "1" } } } },
      { config: { LOG_LEVEL: "info" } },
      { config: { ...OTHERS.config, METRICS_PORT: "1" } },
      { config: { ...OTHERS.config, SECRETS_KEY: "not in a ConfigMap" } },
      { config: { ...OTHERS.config, DATABASE_POOL_MAX: 5 } },
      { network: { ...OTHERS.network, private: [{ cidr: "10.20.0.0/16" }] } },
      { network: { ...OTHERS.network, private: [{ cidr: "vllm.internal", ports: [8000] }] } },
      { ingress: { ...OTHERS.ingress, tlsSecret: "" } },
      { image: { ...OTHERS.image, digest: "latest" } }
    ]
    for (const values of wrong) assert.isFalse(isValid({ ...own, ...values }), JSON.stringify(values))
  })

  it("admits the values that the operators' guide writes as an example", () => {
    const guide = readFileSync(join(TOP_FOLDER, "docs/operations.md"), "utf8")
    const [, example = ""] = /```yaml\n(\s*image: [\s\S]*?)```/.exec(guide) ?? []
    const values: Values = parse(example)
    assert.isTrue(isValid({ ...readValues(), ...values }), JSON.stringify(isValid.errors))
    assert.include(Object.keys(writeChart(values)), "ingress.yaml")
  })

  it("shows every value that its schema knows", () => {
    interface Part {
      readonly properties?: Readonly<Record<string, Part>>
      readonly $ref?: string
    }
    const known = (part: Part): ReadonlyArray<ReadonlyArray<string>> => {
      const { properties }: Part =
        part.$ref === undefined ? part : schema.definitions[part.$ref.replace("#/definitions/", "")]
      if (properties === undefined) return [[]]
      return Object.entries(properties).flatMap(([name, inner]) => known(inner).map((place) => [name, ...place]))
    }
    const places = known(schema).filter(([name]) => name !== "global")
    assert.isAbove(places.length, 25)
    for (const place of places) assert.isDefined(at(readValues(), place), place.join("."))
  })

  it("is valid by Kubernetes' own types with every value changed", () => {
    const manifests = manifestsOf(OTHERS)
    assert.strictEqual(checkManifests(manifests), "")
    assert.includeMembers(Object.keys(documentsByName(manifests)), ["Ingress api", "Deployment api", "Service api"])
    assert.notIncludeMembers(Object.keys(documentsByName(manifests)), ["HorizontalPodAutoscaler api"])
  })

  it("uses every value: another one changes a manifest", () => {
    const withIngress = { ingress: { host: "a.example", tlsSecret: "tls" } }
    const before = JSON.stringify(writeChart(withIngress))
    const places = placesOf(OTHERS)
    assert.isAbove(places.length, 30)
    for (const place of places) {
      const { ingress = {}, ...others } = nested(place, at(OTHERS, place))
      const changed = { ...others, ingress: { ...withIngress.ingress, ...(ingress as Values) } }
      assert.notStrictEqual(JSON.stringify(writeChart(changed)), before, place.join("."))
    }
  })

  it("sets the image, the secrets, the variables and the resources of every pod", () => {
    const { digest, repository, tag } = OTHERS.image
    const workloads = manifestsOf(OTHERS).filter(({ document }) => ["Deployment", "Job"].includes(document.kind))
    assert.lengthOf(workloads, 4)
    for (const workload of workloads) {
      const { containers } = podOf(workload)
      assert.lengthOf(containers, 1)
      for (const container of containers) {
        assert.strictEqual(container.image, `${repository}:${tag}@${digest}`)
        const { env, resources } = OTHERS[container.name as "api" | "worker" | "scheduler" | "migrate"]
        assert.deepStrictEqual(container.resources, resources)
        for (const [name, value] of Object.entries(env)) assert.deepInclude(container.env ?? [], { name, value })
        const url = container.env?.find(({ name }) => name === "DATABASE_URL")?.valueFrom?.secretKeyRef
        assert.deepEqual(url, OTHERS.secrets.database)
      }
    }
  })

  it("lets APIs and workers call what is private and named, at its ports alone", () => {
    assert.notInclude(Object.keys(documentsByName(manifestsOf())), "NetworkPolicy private")
    const policy = documentsByName(manifestsOf(OTHERS))["NetworkPolicy private"]
    const ports = [8000, 4000].map((port) => ({ port, protocol: "TCP" }))
    assert.deepStrictEqual<unknown>(policy?.spec?.egress, [{ to: [{ ipBlock: { cidr: "10.20.0.0/16" } }], ports }])
  })

  it("gives the migrations another job for another release, image, setting or resource, and the same for the same", () => {
    const name = jobOf({})
    assert.match(name ?? "", /^migrate-[a-z0-9.-]+-[0-9a-f]{8}$/)
    assert.strictEqual(jobOf({}), name)
    assert.strictEqual(jobOf({ api: { replicas: 5 } }), name)
    const { config, image, migrate, secrets } = OTHERS
    const changes: ReadonlyArray<Values> = [
      { image: { tag: image.tag } },
      { image: { digest: image.digest } },
      { image: { repository: image.repository } },
      { config: { LOG_LEVEL: config.LOG_LEVEL } },
      { secrets: { owner: secrets.owner } },
      { migrate: { resources: migrate.resources } },
      { migrate: { env: migrate.env } }
    ]
    const names = changes.map(jobOf)
    assert.lengthOf([...new Set([name, ...names])], changes.length + 1)
  })

  it("makes new pods of new settings", () => {
    const settingsOf = (values: Values) =>
      manifestsOf(values)
        .filter(({ document }) => document.kind === "Deployment")
        .map(({ document }) => document.spec?.template?.metadata?.annotations?.["agent-platform/config"])
    const [before, after] = [settingsOf({}), settingsOf({ config: { LOG_LEVEL: "debug" } })]
    assert.lengthOf(before, 3)
    for (const [index, hash] of before.entries()) assert.notStrictEqual(hash, after[index])
  })

  it("lets a pod end after its drain", () => {
    const graceOf = (values: Values, name: string) =>
      manifestsOf(values)
        .filter(({ document }) => document.kind === "Deployment" && document.metadata?.name === name)
        .map((manifest) => podOf(manifest).terminationGracePeriodSeconds)
    assert.deepStrictEqual(graceOf(OTHERS, "api"), [15])
    assert.deepStrictEqual(graceOf(OTHERS, "worker"), [620])
  })
})

describe("infra/kubernetes/secret.example.yaml", () => {
  it("has the secrets and keys that the chart asks for", () => {
    const secrets = readManifests().filter(({ document }) => document.kind === "Secret")
    const keysOf = (name: string) =>
      Object.keys(secrets.find(({ document }) => document.metadata?.name === name)?.document.stringData ?? {})
    const { app, database, owner } = readValues()["secrets"] as typeof OTHERS.secrets
    assert.include(keysOf(app), "SECRETS_KEY")
    assert.include(keysOf(database.name), database.key)
    assert.include(keysOf(owner.name), owner.key)
  })
})
