/** The keys that records of runs are signed with. They belong to the deployment, not to a workspace. */
import { type DateTime, Schema } from "effect"

/** One key pair for Ed25519. */
export interface RecordKey {
  /** Derived from the public key, and named in every signature. */
  readonly id: string
  /** The 32 bytes of the public key, in base64url as a JSON Web Key has them. */
  readonly publicKey: string
  /** The base64 of the 32 bytes of the private key, sealed for `recordKeyPlace`. */
  readonly sealedPrivateKey: string
  readonly createdAt: DateTime.Utc
  /** From then on it signs nothing more; what it signed can be verified for ever. */
  readonly retiredAt: DateTime.Utc | null
}

/** The run has not ended, so there is no record of it yet. */
export class RunNotFinished extends Schema.TaggedError<RunNotFinished>()("RunNotFinished", {}) {}

/** The place that a private key is sealed for: it opens for no other. */
export const recordKeyPlace = (key: Pick<RecordKey, "id">): string => `record_key/${key.id}`
