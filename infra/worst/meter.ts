/** Asks the meter inside an app, which `meterPreload.ts` puts there. */
import { connect, type Socket } from "node:net"

/** The work of an app between two readings. */
export interface Reading {
  /** Processor time of all of its threads, in milliseconds. */
  readonly cpuMillis: number
  /** The longest that its event loop was held by its own work, in milliseconds. */
  readonly holdMillis: number
  readonly memoryMegabytes: number
}

/** The meter of one process. An app that is held answers once it is free; one that has ended rejects. */
export interface Meter {
  readonly begin: () => Promise<Reading>
  readonly read: () => Promise<Reading>
  readonly close: () => void
}

/** The process that was asked is not there any more. */
export class AppEnded extends Error {
  constructor() {
    super("The app ended by itself")
  }
}

const CONNECT_TRIES = 200
const CONNECT_PAUSE_MILLIS = 50

const connected = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket))
    socket.once("error", reject)
  })

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const connectedSoon = async (port: number, tries = CONNECT_TRIES): Promise<Socket> => {
  try {
    return await connected(port)
  } catch (error) {
    if (tries === 0) throw error
    await pause(CONNECT_PAUSE_MILLIS)
    return connectedSoon(port, tries - 1)
  }
}

/** Connects to the meter that listens on a port. Questions are asked one after the other. */
export const connectMeter = async (port: number): Promise<Meter> => {
  const socket = await connectedSoon(port)
  let waiting: PromiseWithResolvers<Reading> | undefined
  socket.removeAllListeners("error")
  socket.on("error", () => undefined)
  socket.on("close", () => waiting?.reject(new AppEnded()))
  socket.on("data", (line) => waiting?.resolve(JSON.parse(String(line)) as Reading))
  const ask = (question: string): Promise<Reading> => {
    waiting = Promise.withResolvers<Reading>()
    if (socket.destroyed) waiting.reject(new AppEnded())
    else socket.write(`${question}\n`)
    return waiting.promise
  }
  return { begin: () => ask("begin"), read: () => ask("read"), close: () => socket.destroy() }
}
