/** The chart, and the manifests that it comes to with its own values, which infra/kubernetes holds for those without Helm. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { writeTemplates } from "./template.ts"

export const CHART = fileURLToPath(new URL("./agent-platform", import.meta.url))

/** A value of the chart, which may have others in it. */
export type Value = string | number | boolean | ReadonlyArray<Value> | { readonly [name: string]: Value }

/** Values by their names. */
export type Values = { readonly [name: string]: Value }

const readChart = (path: string): string => readFileSync(join(CHART, path), "utf8")

const isMap = (value: Value | undefined): value is Values => typeof value === "object" && !Array.isArray(value)

/** Values over those of the chart, as Helm puts them together: maps member by member, everything else whole. */
const mergeValues = (below: Values, above: Values): Values => ({
  ...below,
  ...Object.fromEntries(
    Object.entries(above).map(([name, value]) => {
      const under = below[name]
      return [name, isMap(under) && isMap(value) ? mergeValues(under, value) : value]
    })
  )
})

/** The chart's own values, which values.yaml explains. */
export const readValues = (): Values => parse(readChart("values.yaml"), { version: "1.1" })

/** Chart.yaml. */
export const readAbout = (): { readonly name: string; readonly version: string; readonly appVersion: string } =>
  parse(readChart("Chart.yaml"))

/** The manifests of the chart by their file, with these values over its own. Files that come to nothing are left out. */
export const writeChart = (values: Values = {}): Readonly<Record<string, string>> => {
  const { appVersion, name, version } = readAbout()
  const sources = readdirSync(join(CHART, "templates")).map(
    (file) => [file, readChart(join("templates", file))] as const
  )
  const dot = {
    Values: mergeValues(readValues(), values),
    Chart: { Name: name, Version: version, AppVersion: appVersion }
  }
  return Object.fromEntries(
    Object.entries(writeTemplates(Object.fromEntries(sources), dot)).filter(
      ([file, text]) => file.endsWith(".yaml") && text.trim() !== ""
    )
  )
}

const MADE = "# Made from infra/helm/agent-platform by `npm run docs`.\n"

const kustomization = (files: ReadonlyArray<string>): string => `${MADE}\
# kubectl apply --kustomize infra/kubernetes, after the secrets of secret.example.yaml were made.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: agent-platform
resources:
  - namespace.yaml
${files.map((file) => `  - ${file}\n`).join("")}\
labels:
  - includeSelectors: false
    pairs:
      app.kubernetes.io/part-of: agent-platform
`

/** The files of infra/kubernetes that are made of the chart, by their place: the manifests, and a kustomization that names them. */
export const manifestPages = (): Readonly<Record<string, string>> => {
  const manifests = writeChart()
  const texts = Object.entries(manifests).map(([file, text]) => [file, `${MADE}${text.trim()}\n`] as const)
  const pages = [["kustomization.yaml", kustomization(Object.keys(manifests))] as const, ...texts]
  return Object.fromEntries(pages.map(([file, text]) => [`infra/kubernetes/${file}`, text]))
}
