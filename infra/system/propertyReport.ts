/** Reads the report of Schemathesis, and tells failures from what the rules and leniencies of the document admit. */
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { LENIENCIES, RULES } from "../../packages/contract/src/v1/openapi/rules.ts"

/** A request that fits its schema was refused. */
const REFUSED = "ST202"

/** A request that does not fit its schema was accepted. */
const ACCEPTED = "ST201"

/** The answer to a body that is longer than its schema admits, which is refused unread; the tester takes it for an acceptance. */
const TOO_LARGE = 413

/** An event of a stream does not fit. OpenAPI 3.1 describes the text of a whole stream alone, and the tester holds each event to that. */
const STREAM_EVENT = "ST108"

interface Problem {
  readonly code: string
  readonly detail: string
  readonly errors?: ReadonlyArray<{ readonly detail: string }>
}

interface Interaction {
  readonly request: { readonly method: string; readonly uri: string; readonly body?: { readonly $base64: string } }
  readonly response: { readonly status_code: number; readonly content?: { readonly $base64: string } } | null
}

interface Check {
  readonly name: string
  readonly status: string
  readonly failure_info?: {
    readonly failure: { readonly code: string; readonly title: string; readonly message: string }
  }
}

interface Scenario {
  readonly recorder: {
    readonly label: string
    readonly checks?: Readonly<Record<string, ReadonlyArray<Check>>>
    readonly interactions?: Readonly<Record<string, Interaction>>
  }
}

/** The sense of a report. */
export interface Judgement {
  readonly requests: number
  readonly operations: number
  /** How often each rule of the document has refused a request, or each leniency has let one pass. */
  readonly admitted: ReadonlyMap<string, number>
  readonly failures: ReadonlyArray<string>
}

const textOf = (body: { readonly $base64: string } | undefined): string =>
  body === undefined ? "" : Buffer.from(body.$base64, "base64").toString("utf8")

/** The rules by which a problem was answered, or nothing where one of its faults has none. */
const rulesOf = ({ code, detail, errors = [] }: Problem): ReadonlyArray<string> | undefined => {
  const found = (errors.length > 0 ? errors : [{ detail }]).map((fault) =>
    RULES.find((rule) => rule.code === code && (rule.detail === undefined || fault.detail.startsWith(rule.detail)))
  )
  return found.every((rule) => rule !== undefined) ? found.map(({ rule }) => rule) : undefined
}

/** The leniency by which a request was answered, by the members that the tester's message names; nothing where one of them has none. */
const leniencyOf = (message: string, uri: string): ReadonlyArray<string> | undefined => {
  // A message names the members that break the schema by their paths, or else the whole component with its parameters.
  const [, named = ""] = /Invalid component: parameters? (.+) in query/.exec(message) ?? []
  const violated = [...message.matchAll(/ at \/properties\/(\w+)/g)].map(([, name]) => name)
  const names = violated.length > 0 ? violated : [...named.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  const found = names.map((name = "") => {
    const value = new URL(uri).searchParams.get(name)
    if (value === "") return LENIENCIES.empty
    return value !== null && name.endsWith("_id") ? LENIENCIES.id : undefined
  })
  return found.length > 0 && found.every((leniency) => leniency !== undefined) ? found : undefined
}

/** The rules or leniencies that make an answer no failure; undefined where there are none. */
const admissionOf = (code: string, message: string, uri: string, answer: string): ReadonlyArray<string> | undefined => {
  if (code === REFUSED) return rulesOf(JSON.parse(answer) as Problem)
  return code === ACCEPTED ? leniencyOf(message, uri) : undefined
}

/** Reads a report. */
export const judge = async (path: string): Promise<Judgement> => {
  const operations = new Set<string>()
  const admitted = new Map<string, number>()
  // By operation and message, so that many failures of one kind are told once.
  const failures = new Map<string, string>()
  let requests = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const scenario = (JSON.parse(line) as { readonly ScenarioFinished?: Scenario }).ScenarioFinished
    if (scenario === undefined) continue
    const { checks = {}, interactions = {}, label } = scenario.recorder
    requests += Object.keys(interactions).length
    operations.add(label)
    for (const [id, made] of Object.entries(checks)) {
      for (const { failure_info: info } of made) {
        if (info === undefined || info.failure.code === STREAM_EVENT) continue
        const { request, response } = interactions[id] as Interaction
        if (info.failure.code === ACCEPTED && response?.status_code === TOO_LARGE) continue
        const answer = textOf(response?.content)
        const rules = admissionOf(info.failure.code, info.failure.message, request.uri, answer)
        for (const rule of rules ?? []) admitted.set(rule, (admitted.get(rule) ?? 0) + 1)
        if (rules !== undefined) continue
        const problem = info.failure.code === REFUSED ? (JSON.parse(answer) as Problem) : undefined
        failures.set(
          `${label} ${info.failure.message} ${problem?.detail}`,
          `${info.failure.title}: ${info.failure.message.replaceAll("\n", " ").slice(0, 300)}\n    ${request.method} ${request.uri}` +
            `\n    ${textOf(request.body).slice(0, 400)}\n    ${response?.status_code}: ${answer.slice(0, 400)}`
        )
      }
    }
  }
  return { requests, operations: operations.size, admitted, failures: [...failures.values()] }
}
