/** Holds the reader of templates against Go's rules and, where there are helm and kubectl, against what they make of the chart. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { stringify } from "yaml"
import { CHART, type Values } from "../helm/chart.ts"
import { writeTemplates } from "../helm/template.ts"
import { documentsByName, manifestsOf, OTHERS } from "./chartValues.ts"
import { KUBERNETES, readDocuments, readManifests } from "./deployment.ts"

describe("the templates that are read here", () => {
  const one = (source: string, dot: unknown = { a: "x", list: [1, 2], map: { b: 1, a: 2 }, none: "" }) =>
    writeTemplates({ one: source }, dot)["one"]

  it("trim, choose, repeat and include as Go's do", () => {
    assert.strictEqual(one("a  \n {{- .a -}}  \n b"), "axb")
    assert.strictEqual(one("{{ if .none }}1{{ else }}2{{ end }}"), "2")
    assert.strictEqual(one("{{ with .a }}{{ . }}{{ end }}{{ with .none }}no{{ end }}"), "x")
    assert.strictEqual(one("{{ range $k, $v := .map }}{{ $k }}{{ $v }},{{ end }}"), "a2,b1,")
    assert.strictEqual(one("{{ range $v := .list }}{{ $v }}{{ $.a }}{{ end }}"), "1x2x")
    assert.strictEqual(one('{{ define "t" }}<{{ .b }}>{{ end }}{{ include "t" .map | quote }}'), '"<1>"')
    assert.strictEqual(one('{{ .none | default "d" }}{{ add 1 2 }}'), "d3")
  })

  it("keep texts apart from the truth values of YAML 1.1, which Helm and Kubernetes read", () => {
    assert.strictEqual(
      one("{{ toYaml .map }}", { map: { b: "off", a: "10", c: [true] } }),
      'a: "10"\nb: "off"\nc:\n- true'
    )
  })

  it("refuse what they do not know, and names without a value", () => {
    for (const source of [
      "{{ .b }}",
      "{{ lookup .a }}",
      "{{ .a | upper }}",
      '{{ include "t" . }}',
      "{{ if .a }}",
      "{{ end }}",
      "{{ .map }}",
      "{{ block }}"
    ]) {
      assert.throws(() => one(source), undefined, undefined, source)
    }
  })
})

/** Leaves a test out where a program is not there, and says which. */
const needs = (program: string, isThere: boolean, skip: (note: string) => void) => {
  if (isThere) return
  console.warn(`There is no ${program} on the PATH: its part of the test is left out`)
  skip(`needs ${program}`)
}

const helm = (...args: ReadonlyArray<string>) => spawnSync("helm", args, { encoding: "utf8" })
const hasHelm = helm("version").status === 0

describe("Helm", () => {
  const compare = (file: string | undefined, values: Values) => {
    const given = file === undefined ? [] : ["--values", file]
    const linted = helm("lint", "--strict", CHART, ...given)
    assert.strictEqual(linted.status, 0, linted.stdout + linted.stderr)
    const made = helm("template", "agent-platform", CHART, "--kube-version", "1.30.0", ...given)
    assert.strictEqual(made.status, 0, made.stderr)
    assert.deepStrictEqual(documentsByName(readDocuments("helm", made.stdout)), documentsByName(manifestsOf(values)))
  }

  it("makes of the chart what is made of it here", ({ skip }) => {
    needs("helm", hasHelm, skip)
    const folder = mkdtempSync(join(tmpdir(), "values-"))
    try {
      compare(undefined, {})
      const file = join(folder, "values.yaml")
      writeFileSync(file, stringify(OTHERS, { version: "1.1" }))
      compare(file, OTHERS)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("kustomize", () => {
  const kubectl = (...args: ReadonlyArray<string>) => spawnSync("kubectl", args, { encoding: "utf8" })
  const hasKustomize = kubectl("kustomize", "--help").status === 0

  it("builds the manifests, all of them in the namespace", ({ skip }) => {
    needs("kubectl", hasKustomize, skip)
    const made = kubectl("kustomize", KUBERNETES)
    assert.strictEqual(made.status, 0, made.stderr)
    const built = readDocuments("kustomize", made.stdout)
    const own = readManifests().filter(
      ({ document, file }) => document.kind !== "Kustomization" && file !== "secret.example.yaml"
    )
    assert.sameMembers(Object.keys(documentsByName(built)), Object.keys(documentsByName(own)))
    const namespaced = built.filter(({ document }) => document.kind !== "Namespace")
    for (const { document } of namespaced) assert.strictEqual(document.metadata?.namespace, "agent-platform")
  })
})
