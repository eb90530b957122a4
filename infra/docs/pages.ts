import { Effect } from "effect"
import { manifestPages } from "../helm/chart.ts"
import { adminPage } from "./adminPage.ts"
import { blockPage } from "./blocks.ts"
import { clientFiles } from "./clientFiles.ts"
import { configurationPage } from "./configurationPage.ts"
import { endpointsPage } from "./endpointsPage.ts"
import { referencePage } from "./referencePage.ts"

/** Every page that is made from the code, the files of the client, and the manifests that are made from the chart, by place. */
export const pages: Effect.Effect<Readonly<Record<string, string>>> = Effect.map(adminPage, (admin) => ({
  "docs/admin.md": admin,
  "docs/configuration.md": configurationPage(),
  "docs/endpoints.md": endpointsPage(),
  "docs/reference.md": referencePage(),
  "docs/agents.md": blockPage("docs/agents.md"),
  "docs/embedding.md": blockPage("docs/embedding.md"),
  "docs/webhooks.md": blockPage("docs/webhooks.md"),
  ...clientFiles(),
  ...manifestPages()
}))
