import type { ExchangeRequest } from "@agent-platform/kernel"
import { Effect } from "effect"
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

type WireHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2]

/** The headers of an answer, names in lower case. A decoded body is described by neither of two of them any more. */
export const answerHeaders = (headers: WireHeaders, decoded: boolean): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([written, value]) => {
      const name = written.toLowerCase()
      if (value === undefined || (decoded && (name === "content-encoding" || name === "content-length"))) return []
      return [[name, Array.isArray(value) ? value.join(", ") : value] as const]
    })
  )

/**
 * Sends one request over `connection` and reads its answer up to the cap. Follows no redirect. It has no deadline; when
 * interrupted it goes silent, and the caller destroys the connection.
 */
export const sendRequest = (
  connection: Connection,
  path: string,
  headers: Readonly<Record<string, string>>,
  request: ExchangeRequest
): Effect.Effect<ReadAnswer, Fault> =>
  Effect.callback<ReadAnswer, Fault>((resume) => {
    let stop = () => {}
    let settled = false
    const settle = (outcome: Effect.Effect<ReadAnswer, Fault>) => {
      if (settled) return
      settled = true
      stop()
      resume(outcome)
    }

    let push: (piece: Uint8Array) => boolean = () => true
    let end = () => {}

    connection.client.dispatch(
      { path, method: request.method, headers, body: request.body },
      {
        onRequestStart: (controller) => {
          if (settled) controller.abort(new Error("The exchange is over"))
        },
        onResponseStart: (controller, status, wireHeaders) => {
          if (status < 200) return
          const encoding = String(wireHeaders["content-encoding"] ?? "")
          const reader = makeBodyReader(encoding, request.readBytesMax, {
            done: (body, whole) =>
              settle(
                Effect.succeed({
                  status,
                  headers: answerHeaders(wireHeaders, isDecoded(encoding)),
                  body,
                  reusable: whole
                })
              ),
            corrupt: () => settle(Effect.fail(fault("protocol_error", "The answer's body cannot be decompressed"))),
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
        onResponseError: (_, error) => settle(Effect.fail(faultOf(error, connection.stage)))
      }
    )

    return Effect.sync(() => {
      settled = true
      stop()
    })
  })
