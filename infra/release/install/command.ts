import { runCommand } from "../../local/suite/runCommand.ts"

/** Runs a program to its end and answers what it printed. Fails with that where it does not end with 0. */
export const run = async (cwd: string, command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, output } = await runCommand(command, args, { cwd, env: { ...process.env, NO_COLOR: "1" } })
  if (exitCode !== 0) throw new Error(`${[command, ...args].join(" ")} ended with ${exitCode}:\n${output}`)
  return output
}
