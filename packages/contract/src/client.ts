/** A typed client for Effect: one method an operation, problems as typed failures. Without Effect there is `@agent-platform/client`. */
import type { RetryPolicy } from "@agent-platform/client"
import { Context, Layer, Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { repeating } from "./repeating.ts"
import { Api } from "./v1/Api.ts"
import { Authentication } from "./v1/Authentication.ts"

/** Whom to call, and as whom. */
export interface ClientOptions {
  /** Where the service is, such as `https://agents.example.com`. */
  readonly baseUrl: string | URL
  /** The API key. */
  readonly apiKey: Redacted.Redacted
  /** The workspace that an organization key acts in. */
  readonly workspaceId?: string | undefined
  /** How often and how long requests are repeated that are worth it and safe; creations are, by a key of their own. */
  readonly retry?: Partial<RetryPolicy> | undefined
}

/** The client of version 1, grouped as the interface is: `client.runs.getRun({ params, query })`. */
export class Client extends Context.Service<Client, HttpApiClient.ForApi<typeof Api>>()(
  "@agent-platform/contract/Client"
) {
  /** A client over whatever `HttpClient` there is. */
  static readonly layer = (options: ClientOptions): Layer.Layer<Client, never, HttpClient.HttpClient> => {
    const sign = HttpApiMiddleware.layerClient(Authentication, ({ next, request }) => {
      const signed = HttpClientRequest.bearerToken(request, Redacted.value(options.apiKey))
      return next(
        options.workspaceId === undefined
          ? signed
          : HttpClientRequest.setHeader(signed, "x-workspace-id", options.workspaceId)
      )
    })
    return Layer.effect(
      Client,
      HttpApiClient.make(Api, { baseUrl: options.baseUrl, transformClient: repeating(options.retry) })
    ).pipe(Layer.provide(sign))
  }
}
