/** Everything that is measured, in one run: the platform, a neighbour beside it, and the strangers it speaks to. */
import { agentCases } from "./agentCases.ts"
import { bodyCases } from "./bodyCases.ts"
import type { Case, Scale } from "./cases.ts"
import { headCases } from "./headCases.ts"
import { mcpCases } from "./mcpCases.ts"
import { disturbersOf, measureAll, nameOf, type Row } from "./measure.ts"
import { DEEDS, startNeighbour } from "./neighbour.ts"
import { type Platform, startPlatform } from "./platform.ts"
import { providerCases } from "./providerCases.ts"
import { readCases } from "./readCases.ts"
import { receiverCases } from "./receiverCases.ts"
import { schemaCases } from "./schemaCases.ts"
import { measureSpeed } from "./speed.ts"
import { type Strangers, startStrangers } from "./strangers.ts"

/** Every case at this scale. */
export const casesOf = (platform: Platform, strangers: Strangers, scale: Scale): ReadonlyArray<Case> => [
  ...bodyCases(platform, strangers.urls, scale),
  ...headCases(platform, strangers.urls, scale),
  ...schemaCases(platform, scale),
  ...agentCases(platform, strangers, scale),
  ...mcpCases(platform, strangers, scale),
  ...providerCases(platform, strangers, scale),
  ...receiverCases(platform, strangers, scale),
  ...readCases(platform, strangers, scale)
]

/** The measurements, and how the neighbour fared. */
export interface Measured {
  readonly rows: ReadonlyArray<Row>
  /** How long the neighbour waited, in lines to be printed. */
  readonly neighbour: ReadonlyArray<string>
  /** Cases that disturbed the neighbour beyond its bounds, without breaking a bound themselves. */
  readonly disturbers: ReadonlyArray<string>
}

export interface HarnessOptions {
  readonly say: (line: string) => void
  /** Files that the apps load before their own. */
  readonly preloads?: ReadonlyArray<string>
}

export interface MeasureOptions {
  readonly scale: Scale
  /** Called with each row as soon as it is measured. */
  readonly onRow?: (row: Row) => void
  /** Selects cases by their name: all unless given. */
  readonly only?: (name: string) => boolean
}

/** The platform, its neighbour and the strangers, for any number of measurements one after the other. */
export interface Harness {
  readonly measure: (options: MeasureOptions) => Promise<Measured>
  readonly stop: () => Promise<void>
}

/** Starts all that is measured over a database server. */
export const startHarness = async (postgresUrl: string, { preloads = [], say }: HarnessOptions): Promise<Harness> => {
  const { factor, millis } = measureSpeed()
  say(`The machine does the fixed work in ${millis.toFixed(0)} ms: times are stretched by ${factor.toFixed(2)}.`)
  const strangers = await startStrangers()
  const platform = await startPlatform(postgresUrl, { preloads })
  const end = async () => {
    await platform.stop()
    await strangers.stop()
  }
  const neighbour = await startNeighbour(platform, factor).catch(async (error: Error) => {
    await end()
    throw error
  })
  const bench = { platform, neighbour }
  return {
    measure: async ({ only = () => true, onRow = () => undefined, scale }) => {
      const cases = casesOf(platform, strangers, scale).filter((one) => only(nameOf(one)))
      say(`${cases.length} cases.`)
      const rows = await measureAll(bench, cases, factor, onRow)
      await neighbour.pause()
      const seen = neighbour.look()
      const beside = new Set(neighbour.disturbances().flatMap((disturbance) => disturbance.beside))
      neighbour.resume()
      // A case that broke a bound is known to be at fault; the others that ran beside a disturbance are tried again.
      const blamed = new Set(rows.filter(({ faults }) => faults.length > 0).map(nameOf))
      const suspects = cases.filter((one) => beside.has(nameOf(one)) && !blamed.has(nameOf(one)))
      const lines = DEEDS.map((deed) => {
        const { count, millisMax } = seen[deed]
        const bound = neighbour.bounds[deed].toFixed(0)
        return `The neighbour's ${deed}: ${count}, the longest ${millisMax.toFixed(0)} ms; its bound is ${bound} ms.`
      })
      return { rows, neighbour: lines, disturbers: await disturbersOf(bench, suspects, factor) }
    },
    stop: async () => {
      neighbour.stop()
      await end()
    }
  }
}
