/**
 * Loaded into API and worker by the worst-case harness before their own main file. Answers on a loopback port how much processor
 * time the process has used, and how long its event loop was held, since it was last asked to begin.
 */
import { createServer } from "node:net"

/** How finely the event loop is watched, in milliseconds. */
const TICK_MILLIS = 5

const millisOf = ({ system, user }: NodeJS.CpuUsage): number => (system + user) / 1000

let begunAt = process.cpuUsage()
let holdMillis = 0
let lastWall = performance.now()
let lastUsed = millisOf(process.threadCpuUsage())

/** A gap in which the thread did not work was the machine's doing: other processes had the processor. */
const tick = (): void => {
  const [wall, used] = [performance.now(), millisOf(process.threadCpuUsage())]
  holdMillis = Math.max(holdMillis, Math.min(wall - lastWall, used - lastUsed))
  lastWall = wall
  lastUsed = used
}

const answer = (question: string): object => {
  tick()
  if (question === "begin") {
    begunAt = process.cpuUsage()
    holdMillis = 0
  }
  return {
    cpuMillis: millisOf(process.cpuUsage(begunAt)),
    holdMillis,
    memoryMegabytes: process.memoryUsage.rss() / 2 ** 20
  }
}

setInterval(tick, TICK_MILLIS).unref()
createServer((socket) => {
  socket.unref()
  socket.on("error", () => undefined)
  socket.on("data", (question) => socket.write(`${JSON.stringify(answer(String(question).trim()))}\n`))
})
  .listen(Number(process.env["WORST_METER_PORT"]), "127.0.0.1")
  .unref()
