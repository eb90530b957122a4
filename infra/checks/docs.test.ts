/** Holds the reference pages against the code: what the tables name exists, and what exists is named. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { Api, PROBLEMS } from "@agent-platform/contract"
import { addressKind, isPublicAddress } from "@agent-platform/egress"
import { NotificationType } from "@agent-platform/kernel"
import { Headers } from "effect/http"
import { HttpApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { makeCrossOrigin } from "../../apps/api/src/edge/crossOrigin.ts"
import { SYSTEM_PATHS } from "../../apps/api/src/routes/layerSystem.ts"
import { LOCAL_DEFAULTS } from "../docs/configurationPage.ts"
import { readSettings } from "../local/settings.ts"
import { MEASURES } from "./measures.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const page = (path: string): string => readFileSync(join(TOP_FOLDER, path), "utf8")

/** The rows of every table whose first header cells are these, each row as its cells. */
const rowsOf = (text: string, ...header: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = text.split("\n").map((line) => (line.startsWith("|") ? line.split("|").slice(1, -1) : undefined))
  const rows: Array<ReadonlyArray<string>> = []
  let inTable = false
  lines.forEach((line, index) => {
    const cells = line?.map((cell) => cell.trim())
    if (cells === undefined) inTable = false
    else if (lines[index - 1] === undefined) inTable = header.every((name, place) => cells[place] === name)
    else if (inTable && !cells.every((cell) => /^-+$/.test(cell))) rows.push(cells)
  })
  return rows
}

const unquoted = (cell: string | undefined): string => cell?.replaceAll("`", "") ?? ""
const sorted = (texts: Iterable<string>): ReadonlyArray<string> => [...texts].sort()

describe("the pages about the HTTP interface", () => {
  const text = page("docs/http.md")
  const reference = page("docs/reference.md")

  it("have a heading for every endpoint of the contract, and for no other", () => {
    const endpoints: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }) => endpoints.push(`${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`)
    })
    const headings = [...reference.matchAll(/^#+ ([A-Z]+ \/\S*)$/gm)].map(([, heading]) => heading ?? "")
    assert.deepStrictEqual(sorted(headings), sorted(endpoints))
  })

  it("name every problem code with its status and whether it is worth repeating, and no other", () => {
    const stated = rowsOf(reference, "Status", "Code").map((cells) => cells.slice(0, 3).map(unquoted).join(" "))
    const codes = Object.entries(PROBLEMS).map(
      ([code, kind]) => `${kind.status} ${code} ${"retryable" in kind ? "yes" : "no"}`
    )
    assert.deepStrictEqual(sorted(stated), sorted(codes))
  })

  it("name every header of answers that pages of browsers can read, and no other", () => {
    const origin = "https://app.example.com"
    const readable = makeCrossOrigin(origin, []).headersOf(Headers.fromInput({ origin }))[
      "access-control-expose-headers"
    ]
    const row = /^\| Browsers \| .*? and read (.*?);/m.exec(text)?.[1] ?? ""
    const named = [...row.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
    assert.deepStrictEqual(sorted(named), sorted(readable?.split(", ") ?? []))
  })

  it("say 'of runs only' of exactly those problem codes that the API never answers", () => {
    const server = readRepository(TOP_FOLDER).files.filter(({ path }) => path.startsWith("apps/api/src/"))
    const given = (code: string) => server.some((file) => file.text.includes(`"${code}"`))
    for (const [, code, , meaning] of rowsOf(reference, "Status", "Code")) {
      assert.strictEqual(meaning?.startsWith("Of runs only"), !given(unquoted(code)), code)
    }
  })

  it("name every kind of notice, and no other", () => {
    const stated = rowsOf(text, "`type`", "When", "`payload`").flatMap(([types = ""]) => unquoted(types).split(", "))
    assert.deepStrictEqual(sorted(stated), sorted(NotificationType.literals))
  })

  it("name every kind of resource that entries of the activity feed are about, and no other", () => {
    const [, cell = ""] = /^\| `resource_type` \|.*this kind of resource: ([^.]*)\./m.exec(reference) ?? []
    const written = readRepository(TOP_FOLDER)
      .files.filter(({ path }) => /^packages\/\w+\/src\/(?!testing\/)/.test(path))
      .flatMap((file) => [...file.text.matchAll(/resourceType: (?:\w+ \? )?"(\w+)"(?: : "(\w+)")?/g)])
      .flatMap(([, one, other]) => [one, other].filter((kind) => kind !== undefined))
    assert.deepStrictEqual(sorted(unquoted(cell).split(", ")), sorted(new Set(written)))
  })

  it("name every address outside the version, and no other", () => {
    const stated = rowsOf(text, "Path", "Answers").map(([path]) => unquoted(path).replaceAll(/\{(\w+)\}/g, ":$1"))
    assert.deepStrictEqual(sorted(stated), sorted(SYSTEM_PATHS))
  })
})

describe("the addresses in docs/webhooks.md", () => {
  it("are refused, all of them", () => {
    const stated = rowsOf(page("docs/webhooks.md"), "Addresses", "For instance").flatMap(([, examples = ""]) =>
      examples.split(",").map((example) => unquoted(example.trim()))
    )
    assert.isAtLeast(stated.length, 20)
    assert.deepStrictEqual(stated.filter(isPublicAddress), [])
    assert.deepStrictEqual(
      stated.filter((address) => addressKind(address) === "malformed"),
      []
    )
  })
})

describe("the settings in docs/configuration.md", () => {
  const rows = rowsOf(page("docs/configuration.md"), "Variable", "Read by", "What it decides", "Must be", "Default")
  const readBy = (reader: string) =>
    rows.filter(([, readers]) => readers?.split(", ").includes(reader)).map(([variable]) => unquoted(variable))
  const local = readRepository(TOP_FOLDER).files.filter(({ path }) => /^infra\/local\/[^/]+$/.test(path))
  const foundIn = (path: RegExp, pattern: RegExp) =>
    new Set(
      local
        .filter((file) => path.test(file.path))
        .flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = ""]) => name))
    )

  it("are those that the commands around the apps read, too", () => {
    const ofStart = foundIn(/\/settings\.ts$/, /\(environment, "([A-Z_]+)"\)/g)
    assert.deepStrictEqual(sorted(readBy("npm start")), sorted(ofStart))
    // Variables from npm, those passed through and those from `npm start` to its apps are no settings.
    const ofCommands = foundIn(/./, /process\.env\.(?!PATH\b|INIT_CWD\b|AGENT_PLATFORM_WARM_UP\b)([A-Z_]+)\b/g)
    const others = [...readBy("npm test"), ...readBy("every npm command")]
    assert.deepStrictEqual(sorted(others), sorted([...ofCommands].filter((name) => !ofStart.has(name))))
  })

  it("give the default of npm start", () => {
    const { baseUrl, dataDir, demoAgent, egressAllowLoopback, external, host, port, secretsKey } = readSettings(
      {},
      TOP_FOLDER,
      () => undefined
    )
    assert.isUndefined(external ?? secretsKey)
    const stated = {
      PORT: String(port),
      HOST: host,
      BASE_URL: baseUrl.replace(host, "HOST").replace(String(port), "PORT"),
      DATA_DIR: relative(TOP_FOLDER, dataDir),
      DEMO_AGENT: demoAgent,
      EGRESS_ALLOW_LOOPBACK: String(egressAllowLoopback)
    }
    for (const [variable, fallback] of Object.entries(stated)) {
      assert.include(LOCAL_DEFAULTS[variable], `\`${fallback}\``, variable)
    }
  })
})

describe("the metrics in docs/operations.md", () => {
  it("are those of the code, with their types and labels", () => {
    const rows = rowsOf(page("docs/operations.md"), "Metric", "Type", "Labels")
    const stated = rows.map(([name, kind, labels]) => `${unquoted(name)} ${kind} ${unquoted(labels)}`)
    const known = MEASURES.map(({ kind, labels, name }) => `${name} ${kind} ${labels.join(", ") || "none"}`)
    assert.deepStrictEqual(sorted(stated), sorted(known))
  })

  it("are all that there are: nothing else is declared anywhere", () => {
    const declared = readRepository(TOP_FOLDER)
      .files.filter(({ path }) => path.includes("/src/"))
      .flatMap(({ text }) =>
        [...text.matchAll(/\b(?:counter|gauge|histogram)\(\s*"([^"]+)"/g)].map(([, name = ""]) => name)
      )
    const stated = rowsOf(page("docs/operations.md"), "Metric", "Type").map(([name]) => unquoted(name))
    assert.deepStrictEqual(sorted(declared), sorted(stated))
  })
})

describe("a relative link in README.md or docs", () => {
  const pages = [
    "README.md",
    ...readdirSync(join(TOP_FOLDER, "docs"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md"))
      .map((path) => join("docs", path))
  ].filter((path) => existsSync(join(TOP_FOLDER, path)))
  const prose = (path: string) => page(path).replaceAll(/^```.*?^```/gms, "")
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-")
  const links = pages.flatMap((path) =>
    [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => ({ path, target }))
  )

  it("leads to a file that exists", () => {
    for (const { path, target } of links) {
      const file = target.replace(/#.*/, "")
      assert.isTrue(existsSync(join(TOP_FOLDER, dirname(path), file)), `${path}: ${target}`)
    }
  })

  it("leads to a heading that exists, where it names one", () => {
    for (const { path, target } of links) {
      const [file = "", anchor] = target.split("#")
      if (anchor === undefined) continue
      const headings = [...prose(file === "" ? path : join(dirname(path), file)).matchAll(/^#+ (.*)$/gm)]
      assert.include(
        headings.map(([, heading = ""]) => slug(heading)),
        anchor,
        `${path}: ${target}`
      )
    }
  })
})
