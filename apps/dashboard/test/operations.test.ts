/** Holds the page to all that the interface offers to people. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { EVENT_TYPES, USUAL_TYPES } from "../src/screens/webhooks/eventTypes.ts"

const SOURCES = fileURLToPath(new URL("../src", import.meta.url))
const DOCUMENT = fileURLToPath(new URL("../../../packages/contract/openapi.json", import.meta.url))

/** Operations that the page does not call, each with its reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  beginLogin: "a link: the browser goes there",
  completeLogin: "the identity provider leads there",
  receiveHook: "for those who send webhooks to agents",
  receiveCallback: "for agents of one's own",
  createChatCompletion: "for agents of one's own",
  createResponse: "for agents of one's own",
  createRunBrowserKey: "for servers of other pages; this one has a credential",
  createSessionBrowserKey: "for servers of other pages; this one has a credential",
  getRunLog: "by followRun",
  followEvents: "events of the organization are for programs; people see runs, notices and deliveries",
  getSchedule: "the list holds all of a schedule",
  getToolSecret: "the list holds all of a secret",
  listAllReplays: "by endpoint: listReplays",
  readReplay: "listReplays holds all of a replay",
  listRunRequests: "the log of a run shows its requests to models as they come, and its facts what they cost",
  readUsage: "the page draws by day: readHourlyUsage and readBillingMonth",
  readOrganizationUsage: "the page draws by day: readOrganizationHourlyUsage and readOrganizationBillingMonth"
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>
}

const operations = (): ReadonlyArray<string> => {
  const { paths }: Document = JSON.parse(readFileSync(DOCUMENT, "utf8"))
  return Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ operationId }) => operationId ?? []))
}

const called = (): ReadonlySet<string> => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name))
  const text = files.map((name) => readFileSync(join(SOURCES, name), "utf8")).join("\n")
  return new Set([...text.matchAll(/\.(\w+)\b(?!\.)/g)].flatMap(([, name]) => name ?? []))
}

it("calls every operation that people may want, or says why not", () => {
  const inPage = called()
  const missing = operations().filter((name) => !inPage.has(name) && LEFT_OUT[name] === undefined)
  assert.deepStrictEqual(missing, [], "these operations are neither called by the page nor left out with a reason")
})

it("leaves out nothing that it calls, and nothing that is not there", () => {
  const all = operations()
  const inPage = called()
  const wrong = Object.keys(LEFT_OUT).filter((name) => !all.includes(name) || inPage.has(name))
  assert.deepStrictEqual(wrong, [])
})

it("says which kinds of events an endpoint is sent that names none, and offers all kinds", () => {
  const { components } = JSON.parse(readFileSync(DOCUMENT, "utf8"))
  const { description, items } = components.schemas.NewEndpoint.properties.event_types
  const [, usual = ""] = /Empty for (.*), and for nothing else/.exec(description) ?? []
  assert.strictEqual(USUAL_TYPES.map((type) => `\`${type}\``).join(", "), usual)
  assert.deepStrictEqual([...EVENT_TYPES].sort(), [...items.enum].sort())
})
