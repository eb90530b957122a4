/** One request to an operation, by chance: sound as far as its document says, or with something wrong about it. */
import type { Wanted } from "./asking.ts"
import type { Operation, Parameter } from "./document.ts"
import type { Asked } from "./judge.ts"
import { deliveriesBelow, namedBy, type Pool } from "./pool.ts"
import { type Chance, damaged, ODD_TEXTS, valueOf } from "./values.ts"

/** The headers by which callers are known, those first who fit an operation. */
export interface Callers {
  readonly fitting: (operation: Operation, isUnsafe: boolean) => ReadonlyArray<Readonly<Record<string, string>>>
  readonly others: ReadonlyArray<Readonly<Record<string, string>>>
}

/** Texts for path parameters that fit into a request line. */
const PATH_TEXTS = ODD_TEXTS.filter((text) => text !== "" && text !== "\ud800")

/** Texts that a header can hold. */
const HEADER_TEXTS = ODD_TEXTS.filter((text) => /^[\x21-\x7e]{1,300}$/.test(text))

const ACCEPTS = ["*/*", "application/*", "application/json;q=0.5, text/html"]

/** Media types of an operation's successes, repeated so that they are chosen more often. */
const typesOf = ({ answers }: Operation) =>
  [...answers].flatMap(([status, { bodies }]) => (status < 300 ? [...bodies.keys(), ...bodies.keys()] : []))

const SHARED = ["X-Workspace-Id", "X-CSRF-Token", "X-Request-Id"]

/** Whether it answers anything but streams. */
const acceptsJson = (operation: Operation) =>
  typesOf(operation).length === 0 || typesOf(operation).includes("application/json")

let count = 0

/** A request, and what is to be known of it for judging its answer. */
export const requestTo = (
  operation: Operation,
  callers: Callers,
  pool: Pool,
  chance: Chance
): { readonly wanted: Wanted; readonly asked: Asked } => {
  const isUnsafe = operation.method !== "GET"
  const requestId = `walk-${count++}`
  const valueFor = ({ name, schema }: Parameter, before = "") => {
    const below = name === "delivery_id" ? deliveriesBelow(before) : undefined
    const known = (below && pool.known(below)) ?? pool.known(namedBy(operation, name))
    return known !== undefined && chance.is(0.9) ? known : String(valueOf(schema, chance, pool.known, name))
  }

  let path = ""
  for (const part of operation.path.split(/(\{\w+\})/)) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) {
      path += part
      continue
    }
    const parameter = operation.parameters.find((one) => one.name === name && one.in === "path")
    const usual = name === "provider" && chance.is(0.5) ? chance.pick(["openai", "anthropic", "google"]) : ""
    const value = usual || (chance.is(0.08) ? chance.pick(PATH_TEXTS) : parameter ? valueFor(parameter, path) : "x")
    path += encodeURIComponent(value.toWellFormed() || "x")
  }

  const query = new URLSearchParams()
  for (const parameter of operation.parameters.filter((one) => one.in === "query")) {
    if (parameter.name === "cursor" ? chance.is(0.15) : chance.is(0.3)) {
      query.append(parameter.name, chance.is(0.15) ? chance.pick(ODD_TEXTS) : valueFor(parameter))
    }
  }
  if (chance.is(0.03)) query.append(chance.pick(["unknown", "limit", "Limit", "__proto__"]), chance.pick(ODD_TEXTS))

  const headers: Record<string, string> = { "x-request-id": requestId }
  const fitting = callers.fitting(operation, isUnsafe)
  Object.assign(headers, fitting.length > 0 && chance.is(0.9) ? chance.pick(fitting) : chance.pick(callers.others))
  headers["accept"] = chance.is(acceptsJson(operation) ? 0.92 : 0.1)
    ? "application/json"
    : chance.pick([...ACCEPTS, ...typesOf(operation), "image/png"])
  for (const { name, schema } of operation.parameters.filter(
    (one) => one.in === "header" && !SHARED.includes(one.name)
  )) {
    if (chance.is(0.3)) {
      const value = chance.is(0.2) ? chance.pick(HEADER_TEXTS) : String(valueOf(schema, chance, pool.known, name))
      headers[name.toLowerCase()] = value.replaceAll(/[^\x20-\x7e]/g, "x")
    }
  }

  let body: string | undefined
  let isBroken = false
  if (operation.body !== undefined) {
    const sound = valueOf(operation.body.schema, chance, pool.known)
    const sent = chance.is(0.3) ? damaged(sound, chance) : sound
    body = JSON.stringify(sent)
    headers["content-type"] = "application/json"
    // Anything at all may come to an inbound address; its document says so by having no schema that could be broken.
    isBroken = !operation.body.validate(JSON.parse(body))
    if (chance.is(0.03)) {
      body = chance.pick(["", "{", "nonsense", `{"a":${"[".repeat(200)}`, '"\\ud800"', '{"__proto__":{"a":1}}'])
      isBroken = false
    } else if (chance.is(0.02)) headers["content-type"] = chance.pick(["text/plain", "application/xml"])
  }
  const text = query.toString()
  return {
    wanted: { method: operation.method, path: text === "" ? path : `${path}?${text}`, headers, body },
    asked: { requestId, isBroken }
  }
}
