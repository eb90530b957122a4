/** npm's own commands, by the npm that runs this script, or the one on the path. */
import { spawn } from "node:child_process"

/** The command did not end with 0. */
export class NpmFailed extends Error {
  override readonly name = "NpmFailed"
}

/** Runs npm in a folder and answers what it printed. Fails with NpmFailed and all that it said. */
export const npm = (folder: string, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const given = process.env["npm_execpath"]
    const [command, first] = given?.endsWith("npm-cli.js") ? [process.execPath, [given]] : ["npm", []]
    const shell = process.platform === "win32" && command === "npm"
    const child = spawn(command, [...first, ...args], { cwd: folder, shell, stdio: ["ignore", "pipe", "pipe"] })
    const out: Array<Buffer> = []
    const all: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => {
      out.push(chunk)
      all.push(chunk)
    })
    child.stderr.on("data", (chunk: Buffer) => all.push(chunk))
    child.on("error", reject)
    child.on("close", (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString("utf8"))
      else reject(new NpmFailed(`npm ${args.join(" ")} ended with ${code}:\n${Buffer.concat(all).toString("utf8")}`))
    })
  })
