/** A server on loopback with answers that a test sets, request by request, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { Context, Effect, Layer } from "effect"

/** A request as it came, and what became of its connection. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; undefined where it is none. */
  readonly body: Json
  /** Whether the caller closed the connection before it was answered whole. */
  gaveUp: boolean
}

/** JSON, to be looked into without further ado. */
export interface Json {
  readonly [name: string]: Json
  readonly [index: number]: Json
}

/** Answers one request. */
export type Answer = (response: ServerResponse, asked: Asked) => void

/** The server as tests know it. */
export class ScriptedServer extends Context.Service<
  ScriptedServer,
  {
    readonly url: string
    /** Every request, oldest first. */
    readonly asked: ReadonlyArray<Asked>
    /** Sets the next answers: one for each request; the last one stays. */
    readonly script: (...answers: ReadonlyArray<Answer>) => void
    /** Waits until this is the case. */
    readonly until: (isSo: (asked: ReadonlyArray<Asked>) => boolean) => Effect.Effect<void>
  }
>()("ScriptedServer") {}

const parse = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined as never
  }
}

/** The server, from when the layer is built until its scope closes. */
export const layerScriptedServer = Layer.effect(
  ScriptedServer,
  Effect.gen(function* () {
    const all: Array<Asked> = []
    let answers: ReadonlyArray<Answer> = []
    const server = createServer((request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        const text = Buffer.concat(pieces).toString()
        const { headers, method = "", url = "" } = request
        const asked: Asked = { method, url, headers, text, body: parse(text), gaveUp: false }
        all.push(asked)
        response.on("close", () => {
          asked.gaveUp = !response.writableFinished
        })
        const answer = answers[0]
        if (answers.length > 1) answers = answers.slice(1)
        if (answer === undefined) response.destroy()
        else answer(response, asked)
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("The server listens on a port")
    return {
      url: `http://127.0.0.1:${address.port}`,
      asked: all,
      script: (...next) => {
        answers = next
      },
      until: Effect.fnUntraced(function* (isSo) {
        for (let tries = 0; tries < 500; tries++) {
          if (isSo(all)) return
          yield* Effect.sleep(10)
        }
        return yield* Effect.die(new Error("It did not come to be in 5 seconds"))
      })
    }
  })
)

/** An answer of JSON. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** A stream of events, each with its data as JSON or as it is, and the stream's end. */
export const events =
  (...data: ReadonlyArray<unknown>): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const one of data) response.write(`data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`)
    response.end()
  }

/** A stream that begins like this and then stays silent until it is closed. */
export const hanging =
  (...data: ReadonlyArray<unknown>): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    for (const one of data) response.write(`data: ${JSON.stringify(one)}\n\n`)
  }

/** A stream that begins like this and breaks off. */
export const broken =
  (...data: ReadonlyArray<unknown>): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const one of data) response.write(`data: ${JSON.stringify(one)}\n\n`)
    setImmediate(() => response.destroy())
  }
