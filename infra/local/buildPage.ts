import { spawn } from "node:child_process"
import { join } from "node:path"

/** The page for browsers, the one thing here that is built. */
export interface PagePart {
  /** Whether the page that lies there is that of the present sources. */
  readonly isBuilt: () => boolean
  /** The script that builds it, from the root of the checkout. */
  readonly build: string
}

/** Builds the page in a process of its own, unless that was done before. Fails with what the build has printed. */
export const buildPage = async ({
  environment,
  page,
  root
}: {
  readonly page?: PagePart
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
}): Promise<void> => {
  if (page === undefined || page.isBuilt()) return
  const child = spawn(process.execPath, [join(root, page.build)], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const output: Array<Buffer> = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk))
  process.once("exit", () => child.kill("SIGKILL"))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  })
  if (code !== 0)
    throw new Error(`The dashboard could not be built:\n${Buffer.concat(output).toString("utf8").trimEnd()}`)
}
