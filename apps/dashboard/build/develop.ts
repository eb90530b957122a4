/** `npm run dashboard`: the page from its sources, which follows every change of them, before the API of a running `npm start`. */
import { join } from "node:path"
import { createServer } from "vite"
import { HOME } from "./state.ts"

const server = await createServer({ configFile: join(HOME, "vite.config.ts") })
await server.listen()
server.printUrls()
