import { Effect, Option } from "effect"
import { databaseCommand } from "../databaseCommand.ts"
import { foundingFlags, nameFlag } from "../flags.ts"
import { foundWithKeys } from "../founding.ts"
import { explainRefusals } from "../operator.ts"
import { printJson } from "../printed.ts"
import { A_MEMBER, A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"

/** Creates an organization, its first workspace, and a key for each; prints them as JSON, the keys this once. */
export const bootstrap = databaseCommand({
  name: "bootstrap",
  does: "Create an organization with its first workspace, a key for each and perhaps an owner; prints JSON, the keys this once",
  examples: [
    "bootstrap --organization Acme",
    "bootstrap --organization Acme --workspace Main --timezone Europe/Berlin --owner ada@example.com"
  ],
  prints: {
    organization_id: AN_ORGANIZATION.id,
    org_key: "apk_org_\u2026",
    workspace_id: A_WORKSPACE.id,
    workspace_key: "apk_ws_\u2026",
    owner: { id: A_MEMBER.id, email: A_MEMBER.email, status: "invited" }
  },
  flags: { organization: nameFlag("organization", "Name of the organization"), ...foundingFlags },
  run: ({ owner, workspaceName: workspace, ...names }) =>
    foundWithKeys({ ...names, workspace, ownerEmail: Option.getOrUndefined(owner) }).pipe(
      explainRefusals,
      Effect.flatMap(printJson)
    )
})
