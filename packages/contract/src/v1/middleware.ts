/** Rules for requests whatever the endpoint. The implementations are the server's. */
import { HttpApiMiddleware } from "effect/http-api"
import {
  BadRequest,
  ContentTooLarge,
  InternalError,
  NotAcceptable,
  RequestTimeout,
  Unavailable,
  UnprocessableContent,
  UnsupportedMediaType
} from "./errors.ts"

/** Answers every failure as a problem, bounds the time of an answer, and refuses formats that it cannot give. */
export class Problems extends HttpApiMiddleware.Service<Problems>()("@agent-platform/contract/Problems", {
  error: [BadRequest, NotAcceptable, InternalError, Unavailable]
}) {}

/** Reports all faults of query, headers and body at once; a query parameter that the endpoint does not know is one. */
export class Strict extends HttpApiMiddleware.Service<Strict>()("@agent-platform/contract/Strict", {
  error: UnprocessableContent
}) {}

/**
 * Reads a JSON body within its bounds: its bytes (`bodyLimitOf`), its time (30 seconds), and how much its lists and objects hold,
 * which is counted before anything in them is decoded. On every endpoint that takes one.
 */
export class JsonBody extends HttpApiMiddleware.Service<JsonBody>()("@agent-platform/contract/JsonBody", {
  error: [BadRequest, RequestTimeout, ContentTooLarge, UnsupportedMediaType, UnprocessableContent]
}) {}
