import { type ChildProcess, spawn } from "node:child_process"

/** How a command ended; its output is that of both streams, in the order it came. */
export interface CommandResult {
  readonly exitCode: number
  readonly output: string
  readonly seconds: number
}

/** The commands that run now, for whoever has to end them. */
export const runningCommands = new Set<ChildProcess>()

/** Runs a command to its end. `onOutput` sees the output as it comes. A command that cannot be started ends with 127. */
export const runCommand = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly onOutput?: (chunk: Buffer) => void }
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const start = performance.now()
    const chunks: Array<Buffer> = []
    const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: ["ignore", "pipe", "pipe"] })
    runningCommands.add(child)
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      options.onOutput?.(chunk)
    }
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    const end = (exitCode: number) => {
      runningCommands.delete(child)
      const output = Buffer.concat(chunks).toString("utf8").trimEnd()
      resolve({ exitCode, output, seconds: (performance.now() - start) / 1000 })
    }
    child.on("error", (error) => {
      chunks.push(Buffer.from(error.message))
      end(127)
    })
    child.on("close", (code) => end(code ?? 1))
  })
