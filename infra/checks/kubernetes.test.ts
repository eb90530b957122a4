/** Holds the manifests for Kubernetes against its own types and the code. */
import { BlockList } from "node:net"
import { assert, describe, it } from "vitest"
import { checkManifests, podOf, readManifests } from "./deployment.ts"
import { assertStart, everyVariable, variablesOf } from "./starts.ts"

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
      assert.sameMembers(
        [...new Set(secretsOf(workload))],
        isMigration ? ["agent-platform", "agent-platform-owner"] : ["agent-platform"],
        workload.file
      )
    }
    const [owner] = isKind("Secret").filter(({ document }) => document.metadata?.name === "agent-platform-owner")
    assert.deepStrictEqual(Object.keys(owner?.document.stringData ?? {}), ["DATABASE_OWNER_URL"])
  })

  it("keeps and scales the API and the workers", () => {
    assert.sameMembers(named("PodDisruptionBudget"), ["api", "worker"])
    assert.sameMembers(named("HorizontalPodAutoscaler"), ["api", "worker"])
  })

  it("asks every app, in time for its answer, whether it has started, lives and is ready", () => {
    const [config] = isKind("ConfigMap")
    const asked = new Set<string>()
    for (const workload of isKind("Deployment")) {
      for (const { livenessProbe, name, ports = [], readinessProbe, startupProbe } of podOf(workload).containers) {
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          const port = ports.find((one) => one.name === probe?.httpGet.port)?.containerPort
          assert.isDefined(port, name)
          asked.add(`${name} ${port}${probe?.httpGet.path}`)
        }
        // Readings of metrics and of readiness get 3 s.
        for (const probe of [livenessProbe, readinessProbe]) assert.isAbove(probe?.timeoutSeconds ?? 1, 3, name)
        assert.isAbove((livenessProbe?.failureThreshold ?? 0) * (livenessProbe?.periodSeconds ?? 0), 29, name)
      }
    }
    const metrics = `${config?.document.data?.["METRICS_PORT"]}/metrics`
    const api = ["api 8080/healthz", "api 8080/readyz"]
    assert.sameMembers([...asked], [...api, `worker ${metrics}`, `scheduler ${metrics}`])
  })

  it("sets in each container only what its app reads", () => {
    for (const workload of workloads) {
      for (const { args, env = [], name } of podOf(workload).containers) {
        const known = variablesOf(args.find((arg) => arg.startsWith("apps/")) ?? "")
        for (const one of env)
          assert.isTrue(known.has(one.name), `${name} is given ${one.name}, which it does not read`)
      }
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
})
