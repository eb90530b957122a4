import { SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Redacted, Result } from "effect"
import { Digest, Signature } from "effect/crypto"
import { Base64, Base64Url, Hex } from "effect/encoding"
import { RecordKeyStore } from "../ports/RecordKeyStore.ts"
import { type RecordKey, recordKeyPlace } from "../RecordKey.ts"

/** The signature over a record: it shows who made it, and that it was not altered. */
export interface Integrity {
  readonly algorithm: "ed25519"
  /** The SHA-256 of the canonical form, in hex. */
  readonly sha256: string
  /** The signature of the canonical form, in base64. */
  readonly signature: string
  readonly keyId: string
}

/** A new key pair, sealed. */
const generateKey = Effect.gen(function* () {
  const box = yield* SecretBox
  const pair = yield* Signature.Signature.use((signatures) => signatures.generateKeyPair(Signature.ed25519))
  const publicBytes = yield* Signature.toBytes(pair.publicKey)
  const id = Hex.encode(yield* Digest.Digest.use((digest) => digest.digest(Digest.sha256, publicBytes))).slice(0, 16)
  const privateKey = Redacted.make(Base64.encode(yield* Signature.toBytes(pair.privateKey)))
  const key: RecordKey = {
    id,
    publicKey: Base64Url.encode(publicBytes),
    sealedPrivateKey: yield* box.seal(recordKeyPlace({ id }), privateKey),
    createdAt: yield* DateTime.now,
    retiredAt: null
  }
  return key
}).pipe(Effect.orDie)

/** The key that signs. The first one is made where it is needed, and of many requests at once one makes it. */
const ensureKey = Effect.gen(function* () {
  const keys = yield* RecordKeyStore
  const unit = yield* UnitOfWork
  const found = yield* keys.current
  if (found !== undefined) return found
  const fresh = yield* generateKey
  return yield* unit.atomic(
    Effect.gen(function* () {
      yield* keys.hold
      const rival = yield* keys.current
      if (rival !== undefined) return rival
      yield* keys.insert(fresh)
      return fresh
    })
  )
})

/** The canonical form (RFC 8785) of a record, and its SHA-256 in hex, which is made as the form is. */
export interface CanonicalRecord {
  readonly canonical: Uint8Array
  readonly sha256: string
}

/** Signs a record by its canonical form with the deployment's key. docs/http.md, Records. */
export const signRecord = useCase("runs.signRecord")(function* ({ canonical, sha256 }: CanonicalRecord) {
  const box = yield* SecretBox
  const key = yield* ensureKey
  const encoded = yield* Effect.orDie(box.open(recordKeyPlace(key), key.sealedPrivateKey))
  const bytes = Result.getOrThrow(Base64.decode(Redacted.value(encoded)))
  const signature = yield* Effect.orDie(
    Effect.gen(function* () {
      const privateKey = yield* Signature.privateKey(Signature.ed25519, bytes)
      return yield* Signature.Signature.use((signatures) => signatures.sign(privateKey, canonical))
    })
  )
  const integrity: Integrity = { algorithm: "ed25519", sha256, signature: Base64.encode(signature), keyId: key.id }
  return integrity
})

/** Every key that records were ever signed with, newest first: what one of them signed can be verified for ever. */
export const listRecordKeys = useCase("runs.listRecordKeys")(function* () {
  const keys = yield* RecordKeyStore
  return yield* keys.list
})

/** Has another key sign from now on, and answers it. The one before stays known. */
export const rotateRecordKey = useCase("runs.rotateRecordKey")(function* () {
  const keys = yield* RecordKeyStore
  const unit = yield* UnitOfWork
  const fresh = yield* generateKey
  return yield* unit.atomic(
    Effect.gen(function* () {
      yield* keys.hold
      yield* keys.insert(fresh)
      return fresh
    })
  )
})
