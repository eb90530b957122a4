/** The support table: which feature of a model is served at which provider. The suite beside it proves every cell, and the documentation shows them. */

/** The models of a provider that are alike here. A comma parts the provider from the family. */
export const SUBJECTS = [
  "openai",
  "azure",
  "anthropic",
  "google",
  "vertex, Gemini",
  "vertex, Claude",
  "bedrock, Claude",
  "bedrock, Nova 2",
  "bedrock, others",
  "openai_compatible"
] as const
export type Subject = (typeof SUBJECTS)[number]

interface Row {
  /** In Markdown. */
  readonly title: string
  readonly cells: Readonly<Record<Subject, string>>
}

const OPENAI = ["openai", "azure"] as const
const CLAUDE = ["anthropic", "vertex, Claude", "bedrock, Claude"] as const
const GEMINI = ["google", "vertex, Gemini"] as const
const BEDROCK = ["bedrock, Claude", "bedrock, Nova 2", "bedrock, others"] as const

/** Every cell has the first word, except those that are named. */
const row = (
  title: string,
  most: string,
  ...others: ReadonlyArray<readonly [cell: string, ...subjects: ReadonlyArray<Subject>]>
): Row => {
  const found = (subject: Subject) => others.findLast(([, ...subjects]) => subjects.includes(subject))?.[0] ?? most
  return { title, cells: Object.fromEntries(SUBJECTS.map((subject) => [subject, found(subject)])) as Row["cells"] }
}

/** Each feature. `422` is refused where the agent is created. */
export const FEATURES = {
  streaming: row("Words as they come, and the provider's count", "yes"),
  parallelTools: row("Several tools in one answer", "yes"),
  oneTool: row("`parallel_tool_calls: false`", "yes", ["422", ...GEMINI, ...BEDROCK]),
  toolChoice: row("`tool_choice`", "yes", ["passed on", "bedrock, others", "openai_compatible"]),
  reasoning: row(
    "`reasoning_effort`, and what was thought in the log",
    "yes",
    ["up to `medium`", "bedrock, Nova 2"],
    ["422", "bedrock, others"],
    ["passed on", "openai_compatible"]
  ),
  stop: row("`stop`", "yes", ["422", ...OPENAI]),
  seed: row("`seed`", "422", ["yes", ...GEMINI, "openai_compatible"]),
  cache: row(
    "`prompt_cache`",
    "by itself",
    ["named", ...OPENAI],
    ["marked", ...CLAUDE, "bedrock, Nova 2"],
    ["no marks", "bedrock, others"]
  ),
  schema: row("`output_schema`", "schema", ["by a tool", "vertex, Claude", "bedrock, Nova 2", "bedrock, others"]),
  image: row("Images", "yes", ["passed on", "bedrock, others", "openai_compatible"]),
  document: row("PDFs", "yes", ["passed on", "bedrock, others", "openai_compatible"]),
  address: row("Images by address are read by the", "provider", ["platform", ...GEMINI, ...BEDROCK, "vertex, Claude"]),
  abort: row("A cancelled call is settled by what was seen", "yes"),
  limit: row("429 with `Retry-After`: another key until then", "yes"),
  cut: row("A cut answer is asked for again", "yes"),
  full: row("A full context: shortened, and asked once more", "yes"),
  deadAddress: row("An address that has died: read by the platform, then a note", "yes", [
    "a note",
    ...GEMINI,
    ...BEDROCK,
    "vertex, Claude"
  ]),
  refusedReasoning: row("Reasoning that is refused: asked once more without", "yes", [
    "none is checked",
    "bedrock, others",
    "openai_compatible"
  ])
} satisfies Readonly<Record<string, Row>>

export type Feature = keyof typeof FEATURES
