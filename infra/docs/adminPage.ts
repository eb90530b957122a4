/** docs/admin.md: every command of the admin program. */

import { CLOCK, WORKER_JOBS } from "@agent-platform/platform"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Option } from "effect"
import type { HelpDoc } from "effect/cli"
import { commands, type ListedCommand } from "../../apps/admin/src/commandTree.ts"
import { JsonExample } from "../../apps/admin/src/described.ts"
import { EXITS } from "../../apps/admin/src/exits.ts"
import { helpOf } from "../../apps/admin/src/helpOf.ts"
import { block, MADE, table } from "./markdown.ts"

const HEAD = `# The admin program

${MADE}

What an operator does: \`npm run -s admin -- COMMAND\`, or in an installation
\`node_modules/.bin/node apps/admin/src/main.ts COMMAND\`; beside \`npm start\` it wants
[its database and its key](operations.md#on-one-machine). Below it is called \`admin\`; an alias of that name serves the completions
as well:

\`\`\`sh
alias admin="npm run -s admin --"
source <(admin --completions bash)    # or zsh, fish, powershell
\`\`\`

Anybody who can read \`DATABASE_URL\` can do all of it, in every organization; what is done stands in the organization's activity as
\`admin\`, except what concerns no organization, such as prices for everybody. What a command was asked for goes to standard output;
logs, progress and what it is refused go to standard error. Every command takes \`--json\`: it then prints JSON and nothing else, with the
names and types that its example shows. More may be added to it; nothing is taken away within a version. Times are UTC. \`-\` in a
table, \`null\` in JSON, is what is not there.

On a terminal, long work draws a bar; anywhere else it writes a line every few seconds, and with \`--json\` none.
`

const flagRow = ({ aliases, description, name, required, type }: HelpDoc.FlagDoc) => [
  `\`${[`--${name}`, ...aliases].join(", ")}\``,
  type === "boolean" ? "" : `\`${type}\``,
  `${Option.getOrElse(description, () => "")}${required ? ". Required" : ""}`
]

const argumentRow = ({ description, name, required }: HelpDoc.ArgDoc) => [
  `\`${name}\``,
  "",
  `${Option.getOrElse(description, () => "")}${required ? ". Required" : ""}`
]

const sectionOf = Effect.fnUntraced(function* ({ command, path }: ListedCommand) {
  const help = yield* helpOf(path)
  const printed = Context.getOrUndefined(command.annotations, JsonExample)
  const examples = (help.examples ?? []).map((example) => example.command.trimEnd())
  return [
    `### ${["admin", ...path].join(" ")}`,
    "",
    `${help.description}.`,
    "",
    ...table(
      ["Argument or flag", "Value", "What it says"],
      [...(help.args ?? []).map(argumentRow), ...help.flags.map(flagRow)]
    ),
    ...block("sh", examples),
    ...(printed === undefined ? [] : ["Its JSON:", "", ...block("json", JSON.stringify(printed, null, 2).split("\n"))])
  ]
})

const exits = [
  "## Exit codes",
  "",
  ...table(
    ["Exit code", "When"],
    EXITS.map(({ code, means }) => [String(code), means])
  )
]

const clockwork = [
  "## Jobs by the clock",
  "",
  "Of each job one at most waits or is under way; one that is being done already is left to its process, which is no failure.",
  "A process that dies has its job taken over about a minute later, from where it was. A job that fails is tried again after",
  "a few seconds, and later each time, up to a quarter of an hour. Times are UTC.",
  "",
  ...table(
    ["Job", "When", "Done by", "What it does"],
    CLOCK.map(({ cron, does, kind }) => [
      `\`${kind.name}\``,
      `\`${cron}\``,
      WORKER_JOBS.some((job) => job.kind.name === kind.name) ? "worker" : "scheduler",
      does
    ])
  )
]

const everywhere = Effect.map(helpOf([]), ({ globalFlags = [] }) => [
  "## Flags of every command",
  "",
  ...table(["Flag", "Value", "What it says"], globalFlags.map(flagRow))
])

/** The page. */
export const adminPage: Effect.Effect<string> = Effect.gen(function* () {
  const sections = yield* Effect.forEach(commands, sectionOf)
  const lines = [HEAD, ...exits, ...(yield* everywhere), ...clockwork, "## Commands", "", ...sections.flat()]
  return `${lines.join("\n").trimEnd()}\n`
}).pipe(Effect.provide(NodeServices.layer))
