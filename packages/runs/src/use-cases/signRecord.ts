import { atomic, SecretBox } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Redacted, Result } from "effect"
import { Digest, Signature } from "effect/crypto"
import { Base64, Base64Url } from "effect/encoding"
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
  const hash = yield* Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, publicBytes))
  const id = hash.slice(0, 16)
  const privateKey = Redacted.make(Base64.encode(yield* Signature.toBytes(pair.privateKey)))
  return {
    id,
    publicKey: Base64Url.encode(publicBytes),
    sealedPrivateKey: yield* box.seal(recordKeyPlace({ id }), privateKey),
    createdAt: yield* DateTime.now,
    retiredAt: null
  } satisfies RecordKey
}).pipe(Effect.orDie)

/** The key that signs. The first one is made when it is needed; of many requests at once, one makes it. */
const ensureKey = Effect.gen(function* () {
  const keys = yield* RecordKeyStore
  const found = yield* keys.current
  if (found !== undefined) return found
  const fresh = yield* generateKey
  return yield* atomic(
    Effect.gen(function* () {
      yield* keys.hold
      const rival = yield* keys.current
      if (rival !== undefined) return rival
      yield* keys.insert(fresh)
      return fresh
    })
  )
})

/** Signs the canonical form (RFC 8785) of a record by the deployment's key. docs/http.md, Records. */
export const signRecord = useCase("runs.signRecord")(function* ({
  canonical,
  sha256
}: Pick<Integrity, "sha256"> & { readonly canonical: Uint8Array }) {
  const box = yield* SecretBox
  const key = yield* ensureKey
  const encoded = yield* Effect.orDie(box.open(recordKeyPlace(key), key.sealedPrivateKey))
  const bytes = Result.getOrThrow(Base64.decode(Redacted.value(encoded)))
  const signature = yield* Signature.privateKey(Signature.ed25519, bytes).pipe(
    Effect.flatMap((privateKey) => Signature.Signature.use((signatures) => signatures.sign(privateKey, canonical))),
    Effect.orDie
  )
  return { algorithm: "ed25519", sha256, signature: Base64.encode(signature), keyId: key.id } satisfies Integrity
})

/** Every key that records were ever signed with, newest first: a record can be verified after its key was replaced. */
export const listRecordKeys = useCase("runs.listRecordKeys")(function* () {
  const keys = yield* RecordKeyStore
  return yield* keys.list
})

/** Makes a new key, which signs from now on. The key before it stays known, for verification. */
export const rotateRecordKey = useCase("runs.rotateRecordKey")(function* () {
  const keys = yield* RecordKeyStore
  const fresh = yield* generateKey
  yield* atomic(Effect.andThen(keys.hold, keys.insert(fresh)))
  return fresh
})
