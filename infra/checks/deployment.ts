/** Reads what `infra/` deploys: the image, the services of compose.yaml, the manifests for Kubernetes. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse, parseAllDocuments } from "yaml"
import { TOP_FOLDER } from "./repository.ts"

const INFRA = join(TOP_FOLDER, "infra")
export const KUBERNETES = join(INFRA, "kubernetes")

export const readInfra = (path: string): string => readFileSync(join(INFRA, path), "utf8")

/** A question to a container, as the tests look into it. */
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds?: number
  readonly timeoutSeconds?: number
  readonly failureThreshold?: number
}

/** A container and a pod, as the tests look into them. */
interface Pod {
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly seccompProfile: { readonly type: string } }
  readonly terminationGracePeriodSeconds?: number
  readonly containers: ReadonlyArray<{
    readonly name: string
    readonly image: string
    readonly ports?: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
    readonly args: ReadonlyArray<string>
    readonly env?: ReadonlyArray<{
      readonly name: string
      readonly value?: string
      readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } }
    }>
    readonly envFrom?: ReadonlyArray<{ readonly secretRef?: { readonly name: string } }>
    readonly startupProbe?: Probe
    readonly livenessProbe?: Probe
    readonly readinessProbe?: Probe
    readonly resources: { readonly limits: { readonly memory?: string } }
    readonly securityContext: {
      readonly allowPrivilegeEscalation: boolean
      readonly readOnlyRootFilesystem: boolean
      readonly capabilities: { readonly drop: ReadonlyArray<string> }
    }
  }>
}

/** One rule of a NetworkPolicy for what leaves, as the tests look into it. */
interface EgressRule {
  readonly to: ReadonlyArray<{
    readonly ipBlock?: { readonly cidr: string; readonly except?: ReadonlyArray<string> }
  }>
}

/** A document of a manifest, with what the tests look at. */
export interface Manifest {
  readonly file: string
  readonly document: {
    readonly apiVersion: string
    readonly kind: string
    readonly metadata?: { readonly name: string; readonly namespace?: string }
    readonly resources?: ReadonlyArray<string>
    readonly data?: Readonly<Record<string, string>>
    readonly stringData?: Readonly<Record<string, string>>
    readonly spec?: {
      readonly template?: {
        readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> }
        readonly spec: Pod
      }
      readonly egress?: ReadonlyArray<EgressRule>
    }
  }
}

/** The pod that a Deployment or a Job makes. */
export const podOf = ({ document, file }: Manifest): Pod => {
  const pod = document.spec?.template?.spec
  if (pod === undefined) throw new Error(`${file}: ${document.kind} makes no pod`)
  return pod
}

/** The part of compose.yaml that the tests look at. */
export interface Compose {
  readonly name: string
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: ReadonlyArray<string>
        readonly environment: Readonly<Record<string, string>>
        readonly read_only?: boolean
        readonly cap_drop?: ReadonlyArray<string>
        readonly security_opt?: ReadonlyArray<string>
        readonly depends_on?: unknown
        readonly image?: string
        readonly build?: { readonly args: Readonly<Record<string, string>> }
        readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> }
        readonly deploy?: {
          readonly resources: { readonly limits: { readonly cpus: string; readonly memory: string } }
        }
        readonly healthcheck?: { readonly test: ReadonlyArray<string> }
      }
    >
  >
}

/** compose.yaml with its merges applied. */
export const readCompose = (): Compose => parse(readInfra("compose.yaml"), { merge: true })

/** The documents of a text, by the YAML 1.1 of Kubernetes' tools; what is wrong or says a thing twice is an error. */
export const readDocuments = (file: string, text: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(text, { version: "1.1" }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join("; ")}`)
    return { file, document: document.toJS() }
  })

/** Every document of every manifest. */
export const readManifests = (): ReadonlyArray<Manifest> =>
  readdirSync(KUBERNETES).flatMap((file) => readDocuments(file, readFileSync(join(KUBERNETES, file), "utf8")))

/** Where `kubernetes-types` keeps what the API server says of an API version, from a folder in the cache. */
const moduleOf = (apiVersion: string): string => {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion]
  return `../../kubernetes-types/${group?.replace(/\..*/, "")}/${version}`
}

/**
 * The compiler's errors about manifests, taken as literals of Kubernetes' own types: fields that do not exist, fields of another
 * type, and required ones that are missing.
 */
export const checkManifests = (manifests: ReadonlyArray<Manifest>): string => {
  const cache = join(TOP_FOLDER, "node_modules", ".cache")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "manifests-"))
  try {
    const source = manifests.map(
      ({ document, file }, index) =>
        `// ${file}\nimport type { ${document.kind} as Kind${index} } from "${moduleOf(document.apiVersion)}"\n` +
        `export const manifest${index}: Kind${index} = ${JSON.stringify(document)}\n`
    )
    const path = join(folder, "manifests.ts")
    writeFileSync(path, source.join("\n"))
    const options = [
      "--noEmit",
      "--ignoreConfig",
      "--strict",
      "--skipLibCheck",
      "--module",
      "esnext",
      "--moduleResolution",
      "bundler",
      "--types",
      "",
      path
    ]
    const compiler = spawnSync(process.execPath, [join(TOP_FOLDER, "node_modules/typescript/bin/tsc"), ...options], {
      encoding: "utf8"
    })
    return compiler.status === 0 ? "" : `${compiler.stdout}${compiler.stderr}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A size as Docker or Kubernetes writes it, in bytes; NaN where it is none. */
export const bytesOf = (size = ""): number => {
  const [, number, unit = ""] = /^(\d+)([kmg])i?$/i.exec(size) ?? []
  // The place of the unit is the power; without one it is 0.
  return Number(number) * 1024 ** " kmg".indexOf(unit.toLowerCase())
}
