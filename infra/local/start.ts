/** `npm start`: an embedded Postgres, the API, the worker and the scheduler on one machine. */
import { parts, ROOT } from "./parts.ts"
import { runPlatform } from "./platform.ts"

process.exit(await runPlatform({ root: ROOT, environment: process.env, ...parts }))
