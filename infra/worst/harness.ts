/** Everything that is measured, in one run: the platform, a neighbour beside it, and the strangers it speaks to. */
import { agentCases } from "./agentCases.ts"
import { bodyCases } from "./bodyCases.ts"
import type { Case, Scale } from "./cases.ts"
import { headCases } from "./headCases.ts"
import { mcpCases } from "./mcpCases.ts"
import { measureAll, type Row } from "./measure.ts"
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

/** What was measured, and how the neighbour fared. */
export interface Measured {
  readonly rows: ReadonlyArray<Row>
  readonly neighbour: { readonly lines: ReadonlyArray<string>; readonly faults: ReadonlyArray<string> }
}

export interface HarnessOptions {
  readonly scale: Scale
  readonly say: (line: string) => void
  /** Only cases whose endpoint or member holds this text. */
  readonly only?: string
  /** Files that the apps load before their own. */
  readonly preloads?: ReadonlyArray<string>
}

/** Neighbours' faults that are told one by one. */
const FAULTS_SHOWN_MAX = 20

/** Measures every case over a database server of its own or shared. */
export const harness = async (
  postgresUrl: string,
  { only = "", preloads = [], say, scale }: HarnessOptions
): Promise<Measured> => {
  const { factor, millis } = measureSpeed()
  say(`The machine does the fixed work in ${millis.toFixed(0)} ms: times are stretched by ${factor.toFixed(2)}.`)
  const strangers = await startStrangers()
  const platform = await startPlatform(postgresUrl, { preloads })
  try {
    const neighbour = await startNeighbour(platform, factor)
    try {
      const cases = casesOf(platform, strangers, scale).filter(({ endpoint, member }) =>
        `${endpoint} ${member}`.includes(only)
      )
      say(`${cases.length} cases.`)
      const rows = await measureAll({ platform, neighbour }, cases, factor, (row, index) => {
        if (row.faults.length > 0) say(`${index + 1}: ${row.endpoint} ${row.member}: ${row.faults.join("; ")}`)
      })
      await neighbour.pause()
      const seen = neighbour.look()
      const faults = neighbour.faults()
      return {
        rows,
        neighbour: {
          faults,
          lines: [
            ...DEEDS.map((deed) => {
              const { count, millisMax } = seen[deed]
              const bound = neighbour.bounds[deed].toFixed(0)
              return `The neighbour's ${deed}: ${count}, the longest ${millisMax.toFixed(0)} ms; its bound is ${bound} ms.`
            }),
            ...faults.slice(0, FAULTS_SHOWN_MAX).map((fault) => `The neighbour's ${fault}`)
          ]
        }
      }
    } finally {
      neighbour.stop()
    }
  } finally {
    await platform.stop()
    await strangers.stop()
  }
}
