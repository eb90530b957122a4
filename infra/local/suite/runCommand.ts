import { type ChildProcess, spawn } from "node:child_process"

/** How a command ended; its output is that of both streams, in the order it came. */
export interface CommandResult {
  readonly exitCode: number
  readonly output: string
  readonly seconds: number
}

const running = new Set<ChildProcess>()

/** Each command leads a process group of its own: a worker that a runner has lost track of ends with its runner. */
const killGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL")
  } catch {
    // Nobody is left.
  }
}

/** Kills every command that runs now. */
export const killCommands = (): void => running.forEach(killGroup)

/** Runs a command to its end. `onOutput` sees the output as it comes. A command that cannot be started ends with 127. */
export const runCommand = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly onOutput?: (chunk: Buffer) => void }
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const start = performance.now()
    const chunks: Array<Buffer> = []
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      detached: process.platform !== "win32",
      stdio: ["ignore", "pipe", "pipe"]
    })
    running.add(child)
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      options.onOutput?.(chunk)
    }
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    const end = (exitCode: number) => {
      running.delete(child)
      const output = Buffer.concat(chunks).toString("utf8").trimEnd()
      resolve({ exitCode, output, seconds: (performance.now() - start) / 1000 })
    }
    child.on("error", (error) => {
      chunks.push(Buffer.from(error.message))
      end(127)
    })
    child.on("exit", () => killGroup(child))
    child.on("close", (code) => end(code ?? 1))
  })
