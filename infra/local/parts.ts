import { fileURLToPath } from "node:url"
import { isBuilt, sourcesHash } from "../../apps/dashboard/build/state.ts"
import { flagsOf } from "./memory.mjs"
import type { PlatformParts } from "./platform.ts"
import { bundled } from "./startBundles.ts"

/** The root of the checkout. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url))

/**
 * The processes of `npm start`. Each `warmUp` holds nearly all that its app loads. That of the scheduler also prepares the database, before
 * any app begins: so the scheduler is the `preparer`.
 */
export const parts: Pick<PlatformParts, "preparer" | "apps" | "page" | "bundle"> = {
  bundle: bundled,
  page: { isBuilt: () => isBuilt(sourcesHash()), build: "apps/dashboard/build/build.ts" },
  preparer: {
    name: "scheduler",
    main: "apps/admin/src/main.ts",
    args: ["scheduler"],
    flags: flagsOf("admin"),
    warmUp: "infra/local/prepareDatabase.ts"
  },
  apps: [
    {
      name: "API",
      main: "apps/api/src/main.ts",
      args: [],
      flags: flagsOf("api"),
      warmUp: "apps/api/src/layers.ts"
    },
    {
      name: "worker",
      main: "apps/worker/src/main.ts",
      args: [],
      flags: flagsOf("worker"),
      warmUp: "apps/worker/src/layers.ts"
    }
  ]
}
