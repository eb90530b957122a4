/**
 * The part of Go's templates that the chart is written in, so that its manifests can be written and checked without Helm. What is
 * not of this part is an error here: Helm itself may know it. A name without a value is an error, too, where Helm writes nothing.
 */
import { createHash } from "node:crypto"
import { stringify } from "yaml"

/** A pipeline that was read: gives its value where it stands. */
type Pipe = (scope: Scope) => unknown

type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output"; readonly pipe: Pipe; readonly source: string }
  | {
      readonly kind: "if" | "with"
      readonly pipe: Pipe
      readonly body: ReadonlyArray<Node>
      readonly otherwise: ReadonlyArray<Node>
    }
  | {
      readonly kind: "range"
      readonly names: ReadonlyArray<string>
      readonly pipe: Pipe
      readonly body: ReadonlyArray<Node>
    }

/** Where a name is looked up: the dot (`.`), the variables (`$` is the dot that the template was given), and the templates to include. */
interface Scope {
  readonly dot: unknown
  readonly variables: Readonly<Record<string, unknown>>
  readonly templates: ReadonlyMap<string, ReadonlyArray<Node>>
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

const indent = (width: unknown, text: unknown): string => String(text).replace(/^/gm, " ".repeat(Number(width)))

/** The functions, which are Go's, Sprig's and Helm's. The scope comes first; what is piped comes last. */
const FUNCTIONS: Readonly<Record<string, (scope: Scope, ...args: ReadonlyArray<unknown>) => unknown>> = {
  add: (_, ...numbers) => numbers.reduce<number>((sum, one) => sum + Number(one), 0),
  default: (_, fallback, value) => (isEmpty(value) ? fallback : value),
  include: ({ templates }, name, dot) => {
    const body = templates.get(String(name))
    if (body === undefined) throw new Error(`there is no template ${name}`)
    return write(body, { dot, variables: { $: dot }, templates })
  },
  nindent: (_, width, text) => `\n${indent(width, text)}`,
  quote: (_, value) => JSON.stringify(String(value)),
  sha256sum: (_, text) => createHash("sha256").update(String(text)).digest("hex"),
  toYaml: (_, value) =>
    stringify(value, { version: "1.1", sortMapEntries: true, indentSeq: false, lineWidth: 0 }).trimEnd(),
  trunc: (_, length, text) => String(text).slice(0, Number(length))
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[()|]|\$\w*(?:\.\w+)*|\.(?:\w+(?:\.\w+)*)?|\d+|\w+)/y

const tokensOf = (source: string): ReadonlyArray<string> => {
  const tokens: Array<string> = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < source.length) {
    const found = TOKEN.exec(source)
    if (found === null) throw new Error(`{{ ${source} }} is not understood`)
    tokens.push(String(found[1]))
  }
  return tokens
}

/** The value that a path of names leads to. */
const fieldOf = (value: unknown, path: ReadonlyArray<string>, source: string): unknown =>
  path.reduce((inner, name) => {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, name))
      throw new Error(`${source} is not there`)
    return (inner as Record<string, unknown>)[name]
  }, value)

/** A text, a number, a path from the dot, or one from a variable. */
const operandOf = (token: string): Pipe => {
  if (token.startsWith('"')) return () => JSON.parse(token)
  if (/^\d/.test(token)) return () => Number(token)
  const [head = "", ...path] = token.split(".").filter((part, index) => index === 0 || part !== "")
  if (head === "") return ({ dot }) => fieldOf(dot, path, token)
  if (head.startsWith("$")) return ({ variables }) => fieldOf(variables, [head, ...path], token)
  throw new Error(`there is no function ${token}`)
}

/** The value of a pipeline: commands with `|` between them, each a function with operands or one operand. */
const pipeOf = (source: string): Pipe => {
  const commands: Array<Array<string>> = [[]]
  for (const token of tokensOf(source)) {
    if (token === "|") commands.push([])
    else commands.at(-1)?.push(token)
  }
  // Each command takes what the one before it gave, as its last operand; the first is given nothing.
  const [first, ...rest] = commands.map(([head = "", ...words]) => {
    const operands = words.map(operandOf)
    const apply = FUNCTIONS[head]
    if (apply !== undefined) {
      return (scope: Scope, piped: ReadonlyArray<unknown>) =>
        apply(scope, ...operands.map((operand) => operand(scope)), ...piped)
    }
    if (operands.length > 0) throw new Error(`{{ ${source} }} is not understood`)
    const operand = operandOf(head)
    return (scope: Scope) => operand(scope)
  })
  return (scope) => rest.reduce((value, command) => command(scope, [value]), first?.(scope, []))
}

const ACTION = /\{\{(- )?\s*([\s\S]*?)\s*( -)?\}\}/g

/** The texts and actions of a file, with the white space gone that actions with `-` take away. */
const partsOf = (source: string): ReadonlyArray<{ readonly text: string } | { readonly action: string }> => {
  const parts: Array<{ text: string } | { action: string }> = []
  let from = 0
  let isTrimmed = false
  const textUntil = (end: number) => {
    const text = source.slice(from, end)
    return isTrimmed ? text.trimStart() : text
  }
  for (const found of source.matchAll(ACTION)) {
    const text = textUntil(found.index)
    parts.push({ text: found[1] === undefined ? text : text.trimEnd() }, { action: String(found[2]) })
    from = found.index + found[0].length
    isTrimmed = found[3] !== undefined
  }
  return [...parts, { text: textUntil(source.length) }]
}

/** The nodes of a file; what it defines is put among the templates. */
const parse = (source: string, templates: Map<string, ReadonlyArray<Node>>): ReadonlyArray<Node> => {
  const parts = partsOf(source)
  let place = 0
  /** Reads on to the `end` or `else` that closes a block, and says which of them it was; an empty `end` at the end of the file. */
  const block = (): { readonly nodes: ReadonlyArray<Node>; readonly end: string } => {
    const nodes: Array<Node> = []
    while (place < parts.length) {
      const part = parts[place++]
      if (part === undefined) break
      if ("text" in part) {
        nodes.push({ kind: "text", text: part.text })
        continue
      }
      const { action } = part
      if (action === "end" || action === "else") return { nodes, end: action }
      const [, keyword, rest = ""] = /^(if|with|range|define)\s+([\s\S]+)$/.exec(action) ?? []
      if (keyword === undefined) {
        nodes.push({ kind: "output", pipe: pipeOf(action), source: action })
        continue
      }
      const inner = block()
      const otherwise = inner.end === "else" ? block() : { nodes: [], end: inner.end }
      if (otherwise.end !== "end") throw new Error(`{{ ${action} }} has no end`)
      if (keyword === "define") templates.set(JSON.parse(rest), inner.nodes)
      else if (keyword === "range") {
        const [, names = "", list = ""] = /^(\$\w+(?:,\s*\$\w+)?)\s*:=\s*(.+)$/.exec(rest) ?? []
        nodes.push({ kind: "range", names: names.split(/,\s*/), pipe: pipeOf(list), body: inner.nodes })
      } else {
        nodes.push({
          kind: keyword as "if" | "with",
          pipe: pipeOf(rest),
          body: inner.nodes,
          otherwise: otherwise.nodes
        })
      }
    }
    return { nodes, end: "" }
  }
  const { end, nodes } = block()
  if (end !== "") throw new Error(`{{ ${end} }} ends nothing`)
  return nodes
}

const outputOf = (value: unknown, source: string): string => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value)
  throw new Error(`{{ ${source} }} is no text`)
}

const writeNode = (node: Node, scope: Scope): string => {
  if (node.kind === "text") return node.text
  const value = node.pipe(scope)
  if (node.kind === "output") return outputOf(value, node.source)
  if (node.kind === "range") {
    // Go goes through a map in the order of its keys.
    const entries = Object.entries(value as object)
    if (!Array.isArray(value)) entries.sort(([a], [b]) => (a < b ? -1 : 1))
    return entries
      .map(([key, dot]) => {
        const [first = "", second] = node.names
        const named = second === undefined ? { [first]: dot } : { [first]: key, [second]: dot }
        return write(node.body, { ...scope, dot, variables: { ...scope.variables, ...named } })
      })
      .join("")
  }
  if (isEmpty(value)) return write(node.otherwise, scope)
  return write(node.body, node.kind === "with" ? { ...scope, dot: value } : scope)
}

const write = (nodes: ReadonlyArray<Node>, scope: Scope): string => nodes.map((node) => writeNode(node, scope)).join("")

/** Templates by their file, as texts over one dot. Each sees what any of them defines. Throws where one is not understood. */
export const writeTemplates = (
  sources: Readonly<Record<string, string>>,
  dot: unknown
): Readonly<Record<string, string>> => {
  const templates = new Map<string, ReadonlyArray<Node>>()
  const parsed = Object.entries(sources).map(([file, source]) => [file, parse(source, templates)] as const)
  return Object.fromEntries(
    parsed.map(([file, nodes]) => [file, write(nodes, { dot, variables: { $: dot }, templates })])
  )
}
