/** Inputs and answers of calls, derived from the contract: names as on the wire, and plain JSON values. Types only. */
import type { Schema } from "effect"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import type { Api } from "../v1/Api.ts"
import type { OPERATIONS } from "./operations.ts"

type Groups = typeof Api extends HttpApi.HttpApi<infer _Id, infer All> ? All : never
type GroupName = Groups["identifier"]
type EndpointsOf<Name extends GroupName> = HttpApiGroup.Endpoints<HttpApiGroup.WithIdentifier<Groups, Name>>

/** The wire type of a schema. The contract wraps each in a codec whose own type is no more than "JSON" or "text". */
type Encoded<S> =
  S extends Schema.toCodecJson<infer Inner>
    ? Encoded<Inner>
    : S extends Schema.toCodecStringTree<infer Inner>
      ? Encoded<Inner>
      : S extends { readonly Encoded: infer E }
        ? E
        : never
type EncodedBody<S> = S extends HttpApiSchema.WithHeaders<infer Body, infer _Headers> ? Encoded<Body> : Encoded<S>

/** JSON is preferred, so what streams is answered as its page. */
type Json<A> = A extends string | Uint8Array ? never : A

type Loose<Q> = { readonly [Name in keyof Q]?: Q[Name] | number | boolean }

type PartOf<Name extends string, Part> = [Part] extends [never] ? unknown : { readonly [N in Name]: Part }
type BodyOf<Part> = [Part] extends [never]
  ? unknown
  : Record<never, never> extends Part
    ? { readonly body?: Part }
    : { readonly body: Part }

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, its repetitions included. */
  readonly signal?: AbortSignal
  /** Headers beside those that the client sends. */
  readonly headers?: Readonly<Record<string, string>>
  /** Under which a creation is done once only; one is made up where none is given. */
  readonly idempotencyKey?: string
}

type Request<E> = PartOf<"params", Encoded<HttpApiEndpoint.Params<E>>> &
  BodyOf<Encoded<HttpApiEndpoint.Payload<E>>> &
  ([Encoded<HttpApiEndpoint.Query<E>>] extends [never]
    ? unknown
    : { readonly query?: Loose<Encoded<HttpApiEndpoint.Query<E>>> }) &
  CallOptions

type Method<E> =
  CallOptions extends Request<E>
    ? (request?: Request<E>) => Promise<Json<EncodedBody<HttpApiEndpoint.Success<E>>>>
    : (request: Request<E>) => Promise<Json<EncodedBody<HttpApiEndpoint.Success<E>>>>

type EndpointNamed<Group extends GroupName, Name> = HttpApiEndpoint.WithIdentifier<
  EndpointsOf<Group>,
  Name extends string ? Name : never
>

/** Every operation: `client.runs.triggerRun({ body })`. */
export type Calls = {
  readonly [Group in keyof typeof OPERATIONS & GroupName]: {
    readonly [Name in keyof (typeof OPERATIONS)[Group]]: Method<EndpointNamed<Group, Name>>
  }
}

type ItemOf<A> = A extends { readonly items: ReadonlyArray<infer Item> } ? Item : never

type PagedIn<Group extends keyof typeof OPERATIONS> = {
  [Name in keyof (typeof OPERATIONS)[Group]]: (typeof OPERATIONS)[Group][Name] extends { readonly paged: true }
    ? Name
    : never
}[keyof (typeof OPERATIONS)[Group]]

type ItemsMethod<E> =
  CallOptions extends Request<E>
    ? (request?: Request<E>) => AsyncIterableIterator<ItemOf<Json<EncodedBody<HttpApiEndpoint.Success<E>>>>>
    : (request: Request<E>) => AsyncIterableIterator<ItemOf<Json<EncodedBody<HttpApiEndpoint.Success<E>>>>>

/** Every list, item by item over all of its pages: `client.items.runs.listRuns()`. */
export type Items = {
  readonly [Group in keyof typeof OPERATIONS & GroupName]: {
    readonly [Name in PagedIn<Group>]: ItemsMethod<EndpointNamed<Group, Name>>
  }
}
