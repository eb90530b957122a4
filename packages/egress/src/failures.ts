import type { RequestFailure } from "@agent-platform/kernel"
import { Predicate } from "effect"
import type { ConnectionStage } from "./Connections.ts"
import { AddressRefused, NameNotResolved } from "./HostResolver.ts"

/** Longest `detail` of a failure, in UTF-16 units. */
export const DETAIL_LENGTH_MAX = 256

/** Why a request failed, before it is known how long it took and with whom it spoke. */
export interface Fault {
  readonly reason: RequestFailure
  /** A sentence without any part of the request or the answer. */
  readonly detail: string
}

/** A fault with its sentence cut to `DETAIL_LENGTH_MAX`. */
export const fault = (reason: RequestFailure, detail: string): Fault => ({
  reason,
  detail: detail.slice(0, DETAIL_LENGTH_MAX)
})

const SENTENCES: Readonly<Record<RequestFailure, string>> = {
  address_refused: "The host is not at public addresses only",
  dns_failed: "The host does not resolve",
  connect_failed: "No connection could be opened",
  tls_failed: "No secure connection could be agreed on",
  connection_lost: "The connection was lost before the answer was whole",
  protocol_error: "The request or its answer is not valid HTTP",
  timeout: "The deadline passed before the answer was whole",
  too_large: "The answer is too large"
}

// Codes name a cause and carry nothing of the request; messages may quote hosts, headers or certificates.
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/

const codeOf = (error: unknown): string => {
  if (!Predicate.hasProperty(error, "code") || !Predicate.isString(error.code)) return ""
  return CODE.test(error.code) ? error.code : ""
}

const PROTOCOL_CODES = new Set([
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED"
])

// The parser's errors have no code in this version, and a misplaced answer shares its code with a closed socket.
const isMalformedAnswer = (error: unknown, code: string): boolean =>
  error instanceof Error &&
  (error.name === "HTTPParserError" ||
    (code === "UND_ERR_SOCKET" && (error.message === "bad response" || error.message === "bad upgrade")))

const reasonOf = (error: unknown, code: string, stage: ConnectionStage): RequestFailure => {
  if (error instanceof AddressRefused) return "address_refused"
  if (error instanceof NameNotResolved) return "dns_failed"
  if (PROTOCOL_CODES.has(code) || isMalformedAnswer(error, code)) return "protocol_error"
  // With TLS 1.3 a peer refuses us after its side of the handshake is done.
  if (stage === "securing" || code.startsWith("ERR_SSL_")) return "tls_failed"
  return stage === "connecting" ? "connect_failed" : "connection_lost"
}

/** The fault with the sentence that this file has for its reason. */
export const faultFor = (reason: RequestFailure, code = ""): Fault =>
  fault(reason, code === "" ? SENTENCES[reason] : `${SENTENCES[reason]} (${code})`)

/** The fault of a client's error, given how far the connection had come when it struck. */
export const faultOf = (error: unknown, stage: ConnectionStage): Fault => {
  const code = codeOf(error)
  return faultFor(reasonOf(error, code, stage), code)
}
