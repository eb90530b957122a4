import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** Whether a server can listen there now; otherwise the system's code, such as EADDRINUSE. */
export const tryPort = (port: number, host: string): Promise<"free" | (string & {})> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve("free")))
  })

// Below the range that Linux and macOS take the near ends of outgoing connections from.
const LOWEST = 20_000
const HIGHEST = 32_000
const ATTEMPTS = 50

/** A port of 127.0.0.1 that nobody listens on: `preferred` if that is free. Fails when none of fifty tried is free. */
export const freePort = async (preferred?: number): Promise<number> => {
  if (preferred !== undefined && (await tryPort(preferred, "127.0.0.1")) === "free") return preferred
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, HIGHEST)
    if ((await tryPort(port, "127.0.0.1")) === "free") return port
  }
  throw new Error("No free port was found on 127.0.0.1.")
}
