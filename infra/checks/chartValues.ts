/** Manifests of the chart by its values. */
import { type Values, writeChart } from "../helm/chart.ts"
import { type Manifest, readDocuments } from "./deployment.ts"

/** Values that differ from the chart's own in every place. */
export const OTHERS = {
  image: {
    repository: "registry.example.com:5000/team/agent-platform",
    tag: "0.1.0-rc.1_2",
    digest: `sha256:${"ab".repeat(32)}`,
    pullSecrets: ["registry", "second"]
  },
  secrets: {
    app: "sealed",
    database: { name: "postgres-app", key: "uri" },
    owner: { name: "postgres-owner", key: "owner.uri" }
  },
  config: {
    BASE_URL: "https://agents.example.org",
    DASHBOARD_URL: "https://dashboard.example.org",
    TRUSTED_PROXIES: "192.0.2.64/28",
    LOG_LEVEL: "debug",
    WEBHOOK_HEADER_PREFIX: 'Acme "quoted" \\ # :'
  },
  api: {
    replicas: 3,
    replicasMax: 0,
    drainSeconds: 0,
    resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "2Gi", cpu: "2" } },
    env: { DATABASE_POOL_MAX: "20" }
  },
  worker: {
    replicas: 4,
    replicasMax: 0,
    drainSeconds: 600,
    resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "2Gi" } },
    env: { WORKER_RUNS_MAX: "5" }
  },
  scheduler: {
    replicas: 2,
    resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "2Gi" } },
    env: { RUN_HISTORY_DAYS: "35" }
  },
  migrate: {
    resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "2Gi" } },
    env: { DATABASE_POOL_MAX: "20" }
  },
  network: {
    database: { cidr: "2001:db8::1/128", port: 6432 },
    replica: "2001:db8::2/128",
    private: [{ cidr: "10.20.0.0/16", ports: [8000, 4000] }],
    ingressNamespace: "traefik",
    metricsNamespace: "prometheus"
  },
  ingress: {
    host: "agents.example.org",
    tlsSecret: "agents-tls",
    className: "nginx",
    annotations: { "nginx.ingress.kubernetes.io/proxy-buffering": "off" }
  }
} satisfies Values

/** The documents that the chart comes to. */
export const manifestsOf = (values: Values = {}): ReadonlyArray<Manifest> =>
  Object.entries(writeChart(values)).flatMap(([file, text]) => readDocuments(file, text))

/** Documents by their kind and name. */
export const documentsByName = (manifests: ReadonlyArray<Manifest>) =>
  Object.fromEntries(manifests.map(({ document }) => [`${document.kind} ${document.metadata?.name}`, document]))
