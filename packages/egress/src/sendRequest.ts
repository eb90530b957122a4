import type { OutgoingRequest } from "@agent-platform/kernel"
import type { Dispatcher } from "undici"
import { BodyReader, type BodyReaderEvents, isDecoded } from "./BodyReader.ts"
import type { Connection } from "./Connections.ts"
import { type Fault, fault, faultOf } from "./failures.ts"

/** An answer as read, and whether its connection can carry another request. */
export interface ReadAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly reusable: boolean
}

/** The outcome of a request: one of the two, once. Nothing comes after it was silenced. */
export interface RequestEvents {
  readonly answered: (answer: ReadAnswer) => void
  readonly failed: (fault: Fault) => void
}

type WireHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2]

/** The headers of an answer, names in lower case; without the two that do not describe its body once that is decoded. */
export const answerHeaders = (headers: WireHeaders, decoded: boolean): Readonly<Record<string, string>> => {
  const answered: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || (decoded && (name === "content-encoding" || name === "content-length"))) continue
    answered[name] = Array.isArray(value) ? value.join(", ") : value
  }
  return answered
}

/** One request as undici reports it. A class, since a closure for each method would cost as much as its checks. */
class SentRequest implements Dispatcher.DispatchHandler, BodyReaderEvents {
  private readonly connection: Connection
  private readonly readBytesMax: number
  private readonly events: RequestEvents
  private isOver = false
  private reader: BodyReader | undefined
  private controller: Dispatcher.DispatchController | undefined
  private status = 0
  private encoding = ""
  private wireHeaders: WireHeaders = {}

  constructor(connection: Connection, readBytesMax: number, events: RequestEvents) {
    this.connection = connection
    this.readBytesMax = readBytesMax
    this.events = events
  }

  silence() {
    this.isOver = true
    this.reader?.stop()
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    if (this.isOver) controller.abort(new Error("The request is over"))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: WireHeaders) {
    if (status < 200) return
    this.controller = controller
    this.status = status
    this.wireHeaders = headers
    this.encoding = String(headers["content-encoding"] ?? "")
    this.reader = new BodyReader(this.encoding, this.readBytesMax, this)
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array) {
    if (this.reader !== undefined && !this.reader.push(piece)) controller.pause()
  }

  onResponseEnd() {
    this.reader?.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    this.fail(faultOf(error, this.connection.stage))
  }

  done(body: Uint8Array, whole: boolean) {
    if (!this.finish()) return
    const headers = answerHeaders(this.wireHeaders, isDecoded(this.encoding))
    this.events.answered({ status: this.status, headers, body, reusable: whole })
  }

  corrupt() {
    this.fail(fault("protocol_error", "The answer's body cannot be decompressed"))
  }

  ready() {
    this.controller?.resume()
  }

  private fail(reason: Fault) {
    if (this.finish()) this.events.failed(reason)
  }

  private finish(): boolean {
    if (this.isOver) return false
    this.silence()
    return true
  }
}

/**
 * Sends one request over `connection` and reads its answer up to the cap. `headers` are names and values in turn. Follows
 * no redirect. It has no deadline; the caller that silences it destroys the connection then.
 */
export const sendRequest = (
  connection: Connection,
  path: string,
  headers: ReadonlyArray<string>,
  request: OutgoingRequest,
  events: RequestEvents
): { readonly silence: () => void } => {
  const sent = new SentRequest(connection, request.readBytesMax, events)
  // undici's type wants headers that it could change, and it changes none; hence the cast.
  connection.client.dispatch(
    { path, method: request.method, headers: headers as Array<string>, body: request.body },
    sent
  )
  return sent
}
