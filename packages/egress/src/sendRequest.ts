import type { ExchangeRequest } from "@agent-platform/kernel"
import type { Dispatcher } from "undici"
import { isDecoded, makeBodyReader } from "./BodyReader.ts"
import type { Connection } from "./Connections.ts"
import { type Fault, fault, faultOf } from "./failures.ts"

/** An answer as read, and whether its connection can carry another exchange. */
export interface ReadAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly reusable: boolean
}

/** What comes of a request: one of the two, once. Nothing comes after it was silenced. */
export interface RequestEvents {
  readonly answered: (answer: ReadAnswer) => void
  readonly failed: (fault: Fault) => void
}

type WireHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2]

/** The headers of an answer, names in lower case. A decoded body is described by neither of two of them any more. */
export const answerHeaders = (headers: WireHeaders, decoded: boolean): Readonly<Record<string, string>> => {
  const answered: Record<string, string> = {}
  for (const written in headers) {
    const value = headers[written]
    const name = written.toLowerCase()
    if (value === undefined || (decoded && (name === "content-encoding" || name === "content-length"))) continue
    answered[name] = Array.isArray(value) ? value.join(", ") : value
  }
  return answered
}

/**
 * Sends one request over `connection` and reads its answer up to the cap. `headers` are names and values in turn. Follows
 * no redirect. It has no deadline: the answered function silences it, and the caller destroys the connection then.
 */
export const sendRequest = (
  connection: Connection,
  path: string,
  headers: ReadonlyArray<string>,
  request: ExchangeRequest,
  events: RequestEvents
): (() => void) => {
  let stop = () => {}
  let over = false
  const finish = (report: () => void) => {
    if (over) return
    over = true
    stop()
    report()
  }

  let push: (piece: Uint8Array) => boolean = () => true
  let end = () => {}

  connection.client.dispatch(
    { path, method: request.method, headers: headers as Array<string>, body: request.body },
    {
      onRequestStart: (controller) => {
        if (over) controller.abort(new Error("The exchange is over"))
      },
      onResponseStart: (controller, status, wireHeaders) => {
        if (status < 200) return
        const encoding = String(wireHeaders["content-encoding"] ?? "")
        const reader = makeBodyReader(encoding, request.readBytesMax, {
          done: (body, whole) =>
            finish(() =>
              events.answered({
                status,
                headers: answerHeaders(wireHeaders, isDecoded(encoding)),
                body,
                reusable: whole
              })
            ),
          corrupt: () =>
            finish(() => events.failed(fault("protocol_error", "The answer's body cannot be decompressed"))),
          ready: () => controller.resume()
        })
        push = reader.push
        end = reader.end
        stop = reader.stop
      },
      onResponseData: (controller, piece) => {
        if (!push(piece)) controller.pause()
      },
      onResponseEnd: () => end(),
      onResponseError: (_, error) => finish(() => events.failed(faultOf(error, connection.stage)))
    }
  )

  return () => {
    over = true
    stop()
  }
}
