/** `npm start`: an embedded Postgres, the API, the worker and the scheduler on one machine. */
import { fileURLToPath } from "node:url"
import { runPlatform } from "./platform.ts"

const code = await runPlatform({
  root: fileURLToPath(new URL("../../", import.meta.url)),
  environment: process.env,
  apps: [
    { name: "API", main: "apps/api/src/main.ts", args: [] },
    { name: "worker", main: "apps/worker/src/main.ts", args: [] },
    { name: "scheduler", main: "apps/admin/src/main.ts", args: ["scheduler"] }
  ],
  loadPrepare: async () => (await import("../../apps/admin/src/prepare.ts")).prepare
})
process.exit(code)
