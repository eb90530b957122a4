import { Effect } from "effect"
import { adminPage } from "./adminPage.ts"
import { blockPage } from "./blocks.ts"
import { configurationPage } from "./configurationPage.ts"
import { endpointsPage } from "./endpointsPage.ts"
import { referencePage } from "./referencePage.ts"

/** Every page that is made from the code, by its place in the repository. */
export const pages: Effect.Effect<Readonly<Record<string, string>>> = Effect.map(adminPage, (admin) => ({
  "docs/admin.md": admin,
  "docs/configuration.md": configurationPage(),
  "docs/endpoints.md": endpointsPage(),
  "docs/reference.md": referencePage(),
  "docs/webhooks.md": blockPage("docs/webhooks.md")
}))
