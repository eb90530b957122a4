/** Prometheus's own judge of metrics and rules, where it is installed. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"

/** Whether `promtool` can be started. */
export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0

/** Why a test goes without it. */
export const NO_PROMTOOL = "promtool is not installed here: Prometheus's own check is left out"

/** Runs it, and answers what it complains of; empty where it is content. */
export const promtool = async (args: ReadonlyArray<string>, input = ""): Promise<string> => {
  const child = spawn("promtool", args)
  const ended = once(child, "close")
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return code === 0 ? "" : out + err
}
