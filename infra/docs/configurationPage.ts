/** docs/configuration.md: every environment variable of the apps and of the commands around them. */
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

const START = "npm start"

/** The settings that `npm start` reads itself, with their defaults. A test holds it to infra/local/settings.ts. */
export const LOCAL_DEFAULTS: Readonly<Record<string, string>> = {
  DATABASE_URL: "a Postgres of its own",
  DATABASE_OWNER_URL: "a Postgres of its own",
  SECRETS_KEY: "a key that it makes beside its own Postgres",
  PORT: "`8080`",
  HOST: "`127.0.0.1`",
  BASE_URL: "`http://HOST:PORT`",
  DATA_DIR: "`.data`",
  DEMO_AGENT: "`full`",
  EGRESS_ALLOW_LOOPBACK: "`true` while Postgres is its own and HOST a loopback address"
}

const OTHERS: ReadonlyArray<ReadonlyArray<string>> = [
  [
    "`DATA_DIR`",
    START,
    "Where it keeps its files.",
    "a folder; a relative one begins in the checkout",
    LOCAL_DEFAULTS["DATA_DIR"] ?? ""
  ],
  [
    "`NODE_COMPILE_CACHE`",
    "every npm command",
    "Node's own: where compiled code is kept.",
    "a folder",
    "`node_modules/.cache/node-compile`"
  ],
  [
    "`TEST_DATABASE_URL`",
    "npm test",
    "A Postgres for the tests, as a superuser.",
    "the URL of a Postgres",
    "a Postgres of its own"
  ],
  [
    "`TMPDIR`",
    "npm test",
    "The folder of temporary files, and of the tests' databases.",
    "the path of a folder",
    "`/dev/shm` with at least 4 GiB free on Linux, else the system's"
  ]
]

const HEAD = `# Environment variables

${MADE}

Every variable, by name. An empty one counts as absent. One that is wrong or missing is named in a line, and the
process ends with exit code 78. \`admin doctor\` ends with 3 instead and names all of them; only a wrong \`LOG_LEVEL\` ends it with 78, too.
What they mean for running the platform stands in [operations](operations.md).
`

const defaultOf = ({ fallback, variable }: Setting<unknown>): string => {
  const said = fallback === undefined ? "must be set" : fallback === "" ? "empty" : `\`${fallback}\``
  const local = LOCAL_DEFAULTS[variable]
  return local === undefined || local === said ? said : `${said}; under \`${START}\` ${local}`
}

/** The page. */
export const configurationPage = (): string => {
  const settings = new Map<string, { readonly setting: Setting<unknown>; readonly readers: Array<string> }>()
  for (const [app, ofApp] of APPS) {
    for (const setting of ofApp) {
      const known = settings.get(setting.variable)
      if (known === undefined) settings.set(setting.variable, { setting, readers: [app] })
      else if (!known.readers.includes(app)) known.readers.push(app)
    }
  }
  const ofApps = [...settings.values()].map(({ readers, setting }) => [
    `\`${setting.variable}\``,
    [...readers, ...(setting.variable in LOCAL_DEFAULTS ? [START] : [])].join(", "),
    setting.decides,
    setting.expects,
    defaultOf(setting)
  ])
  const rows = [...ofApps, ...OTHERS].sort(([one = ""], [two = ""]) => (one < two ? -1 : 1))
  return `${[HEAD, ...table(["Variable", "Read by", "What it decides", "Must be", "Default"], rows)].join("\n").trimEnd()}\n`
}
