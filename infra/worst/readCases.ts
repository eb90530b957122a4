/** Reads of runs with the largest inputs and results. */
import { type Case, type Scale, sampled, sizesBelow } from "./cases.ts"
import type { Platform } from "./platform.ts"
import { httpAgent, runOf } from "./runCases.ts"
import { type Shape, shapesOf } from "./shapes.ts"
import { type Answer, type Strangers, writeAll } from "./strangers.ts"
import { makeTester, type Tester } from "./tester.ts"

/** The most that a run's message may be, and that a line of an agent's answer may hold, in bytes. */
const MESSAGE_BYTES_MAX = 96 * 1024
const LINE_BYTES_MAX = 500 * 1024
const ANSWER_BYTES_MAX = 15 * 1024 * 1024

const JSON_TYPE = "application/json"

/** Ways to read a run, by its address and what is accepted. */
const READINGS: ReadonlyArray<readonly [name: string, path: (run: Made) => string, accept: string]> = [
  ["GET run", ({ runId }) => `/api/v1/runs/${runId}`, JSON_TYPE],
  ["GET runs", () => "/api/v1/runs/", JSON_TYPE],
  ["GET log", ({ runId }) => `/api/v1/runs/${runId}/logs`, JSON_TYPE],
  ["GET log as events", ({ runId }) => `/api/v1/runs/${runId}/logs`, "text/event-stream"],
  ["GET log as lines", ({ runId }) => `/api/v1/runs/${runId}/logs`, "application/x-ndjson"],
  ["GET record", ({ runId }) => `/api/v1/runs/${runId}/record`, JSON_TYPE],
  ["GET record as HTML", ({ runId }) => `/api/v1/runs/${runId}/record`, "text/html"],
  ["GET record as Markdown", ({ runId }) => `/api/v1/runs/${runId}/record`, "text/markdown"],
  ["GET session", ({ sessionId }) => `/api/v1/sessions/${sessionId}`, JSON_TYPE],
  ["GET session messages", ({ sessionId }) => `/api/v1/sessions/${sessionId}/messages`, JSON_TYPE]
]

interface Made {
  readonly tester: Tester
  readonly runId: string
  readonly sessionId: string
}

/** Where a run gets something large from. */
interface Source {
  readonly name: string
  readonly bytesMax: number
  /** The agent's lines and the caller's input, each of about this size. Divisors in them are the bytes of a line. */
  readonly lines: (size: number) => ReadonlyArray<string>
  readonly given?: (size: number) => object
}

const anything: ReadonlyArray<Shape> = shapesOf({ kind: "anything", path: [], schema: {} }, {}).filter(
  ({ name }) => name !== "nested too deep"
)
/** The first six ways of filling a text are texts themselves. */
const texts: ReadonlyArray<Shape> = shapesOf({ kind: "text", path: [], schema: { type: "string" } }, {}).slice(0, 6)

const END = '{"type":"result"}'

const LOG_TEXT = '\\"<&'.repeat(15_000)

const SOURCES: ReadonlyArray<Source> = [
  ...texts.map(
    (shape): Source => ({
      name: `message of ${shape.name}`,
      bytesMax: MESSAGE_BYTES_MAX,
      lines: () => [END],
      // A message may not hold NUL, which one of the shapes has.
      given: (size) => ({ message: (JSON.parse(shape.text(size)) as string).replaceAll("\u0000", "0") })
    })
  ),
  ...texts.map(
    (shape): Source => ({
      name: `answer of ${shape.name}`,
      bytesMax: LINE_BYTES_MAX,
      lines: (size) => [`{"type":"result","message":${shape.text(size)}}`]
    })
  ),
  ...anything.map(
    (shape): Source => ({
      name: `result: ${shape.name}`,
      bytesMax: LINE_BYTES_MAX,
      lines: (size) => [`{"type":"result","result":${shape.text(size)}}`]
    })
  ),
  ...texts.map(
    (shape): Source => ({
      name: `a log line of ${shape.name}`,
      bytesMax: LINE_BYTES_MAX,
      lines: (size) => [`{"type":"log","message":${shape.text(size)}}`, END]
    })
  ),
  {
    name: "long log lines",
    bytesMax: ANSWER_BYTES_MAX,
    lines: (size) => [...Array.from({ length: size / 60_000 }, () => `{"type":"log","message":"${LOG_TEXT}"}`), END]
  },
  {
    name: "many log lines",
    bytesMax: LINE_BYTES_MAX,
    lines: (size) => [...Array.from({ length: size / 28 }, () => '{"type":"log","message":"a"}'), END]
  },
  {
    name: "many messages",
    bytesMax: LINE_BYTES_MAX,
    lines: (size) => [...Array.from({ length: size / 38 }, () => '{"type":"message.completed","text":"a"}'), END]
  }
]

/** Every way to read, of every source. A run is made once for each size, by an agent of the source's own. */
export const readCases = (platform: Platform, strangers: Strangers, scale: Scale): ReadonlyArray<Case> =>
  sampled(SOURCES, scale, 5).flatMap((source) => {
    let lines: ReadonlyArray<string> = [END]
    const made = new Map<number, Promise<Made>>()
    const answer: Answer = (response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" })
      writeAll(
        response,
        lines.map((line) => `${line}\n`)
      )
    }
    const makeRun = async (size: number): Promise<Made> => {
      const tester = await makeTester(platform)
      const agentId = await httpAgent(tester, strangers.settle(answer))
      lines = source.lines(size)
      return { tester, ...(await runOf(tester, agentId, source.given?.(size))) }
    }
    return READINGS.map(
      ([name, path, accept]): Case => ({
        endpoint: name,
        member: source.name,
        sizes: sizesBelow(source.bytesMax, { ...scale, doublings: 2, divisor: 1 }),
        prepare: async (size) => {
          const run = made.get(size) ?? makeRun(size)
          made.set(size, run)
          const { tester, ...ids } = await run
          const at = path({ tester, ...ids })
          return async () => {
            const { status } = await tester.ask("GET", at, undefined, { accept })
            return String(status)
          }
        }
      })
    )
  })
