/** Bodies, answers and failures of the operations on keys, of workspaces and of organizations alike. */
import { Schema } from "effect"
import {
  ApiKeyChange,
  ApiKeyPage,
  ApiKeyRotation,
  ApiKeyView,
  CreatedApiKeyView,
  NewApiKey,
  RevokedApiKey,
  RotatedApiKeyView
} from "./apiKeySchemas.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { pageParameters, parameters } from "./queries.ts"

/** The parameters of a revocation. */
export const revocationParameters = parameters({
  descendants: {
    schema: Schema.optionalKey(Schema.Literals(["true", "false"])),
    doc: {
      description:
        "Whether the keys that it has made, by creation or rotation, that those have made, and so on, are " +
        "revoked as well, after it in batches. A key that is being made at that moment is revoked, too",
      schema: { type: "boolean", default: false }
    }
  }
})

const keyPath = { key_id: id("The key's id") }

/** The options of their endpoints. */
export const keyOperations = {
  create: {
    headers: idempotencyHeaders,
    payload: NewApiKey,
    success: created(CreatedApiKeyView),
    error: [Conflict, UnprocessableContent]
  },
  list: { query: pageParameters.fields, success: ApiKeyPage },
  update: {
    params: keyPath,
    headers: ifMatchHeaders,
    payload: ApiKeyChange,
    success: ApiKeyView,
    error: [Conflict, NotFound, UnprocessableContent]
  },
  rotate: {
    params: keyPath,
    headers: idempotencyHeaders,
    payload: ApiKeyRotation,
    success: created(RotatedApiKeyView),
    error: [Conflict, NotFound, UnprocessableContent]
  },
  revoke: { params: keyPath, query: revocationParameters.fields, success: RevokedApiKey, error: NotFound }
} as const
