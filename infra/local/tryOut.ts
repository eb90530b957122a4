/** The text that `npm start` prints when it is ready. */
import { relative } from "node:path"
import { credentialsPath } from "./credentials.ts"
import type { Settings } from "./settings.ts"
import { LINK_MINUTES } from "./startLink.ts"

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The credentials file as `require` finds it from the checkout: relative inside of it, absolute elsewhere. */
const requiredFile = (root: string, dataDir: string): string => {
  const path = credentialsPath(dataDir)
  const inside = relative(root, path)
  return inside.startsWith("..") || inside.startsWith("/") ? path : `./${inside}`
}

/**
 * The lines `npm start` prints when it is ready: the link that signs in, if there is one, and lines to be pasted into a shell in the
 * checkout. These read the key from the credentials file, so that none is shown on a screen or kept in a log.
 */
export const tryOut = (
  { baseUrl, demoAgent }: Pick<Settings, "baseUrl" | "demoAgent">,
  root: string,
  dataDir: string,
  link: string | undefined
): string => {
  const file = JSON.stringify(requiredFile(root, dataDir))
  const member = (name: string) => `$(node -p ${quoted(`require(${file}).${name}`)})`
  const run = `  AGENT=${member("agent_id")}
  RUN=$(curl -s ${baseUrl}/api/v1/runs/ -H "X-API-Key: $KEY" -H "Content-Type: application/json" \\
    -d "{\\"agent_id\\": \\"$AGENT\\", \\"message\\": \\"Hello\\"}" | node -p 'JSON.parse(fs.readFileSync(0)).run_id')
  curl -s "${baseUrl}/api/v1/runs/$RUN?wait_seconds=10" -H "X-API-Key: $KEY"; echo
  curl -sN ${baseUrl}/api/v1/runs/$RUN/logs -H "X-API-Key: $KEY"`
  const look = `  curl -s ${baseUrl}/api/v1/auth/me -H "X-API-Key: $KEY"; echo

DEMO_AGENT is off, so the agent Demo does not run: docs/agents.md says how to make one that does.`
  const open = `Open this link, which signs you in once, within ${LINK_MINUTES} minutes:

  ${link}

`
  return `
Agent Platform is ready on ${baseUrl}

${link === undefined ? "" : open}Try it from another terminal in this folder:

  KEY=${member("workspace_key")}
${demoAgent === "off" ? look : run}

Ctrl-C stops everything.
`
}
