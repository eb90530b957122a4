import { type RecordKey, Runs } from "@agent-platform/runs"
import { DateTime, Effect, type Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

/** The path of the public keys that verify records. */
export const RECORD_KEYS_PATH = "/.well-known/agent-platform-keys.json"

/** A key as a JSON Web Key (RFC 8037), with the period in which it signed. */
const keyView = (key: RecordKey) => ({
  kid: key.id,
  kty: "OKP",
  crv: "Ed25519",
  alg: "EdDSA",
  use: "sig",
  x: key.publicKey,
  created_at: DateTime.formatIso(key.createdAt),
  retired_at: key.retiredAt === null ? null : DateTime.formatIso(key.retiredAt)
})

/** Serves the public keys that verify records, retired ones included. Callers need no credential. */
export const layerKeys: Layer.Layer<never, never, HttpRouter.HttpRouter | Runs> = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const runs = yield* Runs
    yield* router.add(
      "GET",
      RECORD_KEYS_PATH,
      Effect.map(runs.listRecordKeys(), (keys) =>
        HttpServerResponse.jsonUnsafe({ keys: keys.map(keyView) }).pipe(
          HttpServerResponse.setHeaders({ "cache-control": "public, max-age=60" })
        )
      )
    )
  })
)
