/** docs/configuration.md: every environment variable of the apps. */
import type { Setting } from "@agent-platform/process"
import { SETTINGS as admin } from "../../apps/admin/src/config.ts"
import { SETTINGS as api } from "../../apps/api/src/config.ts"
import { SETTINGS as worker } from "../../apps/worker/src/config.ts"
import { MADE, table } from "./markdown.ts"

const APPS: ReadonlyArray<readonly [app: string, settings: ReadonlyArray<Setting<unknown>>]> = [
  ["api", api],
  ["worker", worker],
  ["admin", admin]
]

const HEAD = `# Environment variables

${MADE}

Every variable that the apps read, by name. An empty one counts as absent. One that is wrong or missing is named in a line, and
the process ends with exit code 78. \`admin doctor\` ends with 3 instead and names all of them; only a wrong \`LOG_LEVEL\` ends it with
78, too. What they mean for running the platform, and those of \`npm start\` and \`npm test\`, stand in
[operations](operations.md#settings).
`

/** The page. */
export const configurationPage = (): string => {
  const settings = new Map<string, { readonly setting: Setting<unknown>; readonly readers: Array<string> }>()
  for (const [app, ofApp] of APPS) {
    for (const setting of ofApp) {
      const known = settings.get(setting.variable)
      if (known === undefined) settings.set(setting.variable, { setting, readers: [app] })
      else known.readers.push(app)
    }
  }
  const rows = [...settings.values()]
    .sort((one, two) => (one.setting.variable < two.setting.variable ? -1 : 1))
    .map(({ readers, setting: { decides, expects, fallback, variable } }) => [
      `\`${variable}\``,
      readers.join(", "),
      decides,
      expects,
      fallback === undefined ? "must be set" : fallback === "" ? "empty" : `\`${fallback}\``
    ])
  return `${[HEAD, ...table(["Variable", "Read by", "What it decides", "Must be", "Default"], rows)].join("\n").trimEnd()}\n`
}
