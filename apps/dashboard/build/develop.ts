/** `npm run dashboard`: serves the page from its sources, follows their changes, and passes calls on to the API of a running `npm start`. */
import { join } from "node:path"
import { createServer } from "vite"
import { HOME } from "./state.ts"

const server = await createServer({ configFile: join(HOME, "vite.config.ts") })
await server.listen()
server.printUrls()
