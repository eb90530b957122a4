/** Message codes that are broken on purpose, for their suite. */
import { createHash, createHmac } from "node:crypto"
import { type CodeEncoding, Hmac } from "@agent-platform/kernel"
import { hmacContract } from "@agent-platform/kernel/testing"
import { Layer } from "effect"
import { bite } from "./bite.ts"

const codesOf = (sha256: Hmac["Service"]["sha256"]) => Layer.succeed(Hmac, { sha256 })

const right = (key: Uint8Array, data: Uint8Array, encoding: CodeEncoding) =>
  createHmac("sha256", key).update(data).digest(encoding)

/** Codes that keep the key as it was given, as they should. */
const keeping = (code: typeof right) =>
  codesOf((key) => {
    const own = key.slice()
    return (data, encoding) => code(own, data, encoding)
  })

const VECTORS = "are those of RFC 4231"
const LENGTHS = "are those of WebCrypto, whatever the lengths of key and data"
const ENCODINGS = "are the same bytes in hexadecimal and in base64"
const TURNS = "are those of their own key, however keys take turns"
const LEFT = "leave the data as it is, and parts of it as well"
const GIVEN = "are those of the key as it was given"

hmacContract("Node's", keeping(right))

bite(
  "a code that is the hash of key and data",
  () =>
    hmacContract(
      "a bare hash",
      keeping((key, data, encoding) => createHash("sha256").update(key).update(data).digest(encoding))
    ),
  [VECTORS, LENGTHS, TURNS, GIVEN]
)

bite(
  "a key that is cut off at a block",
  () =>
    hmacContract(
      "short keys",
      keeping((key, data, encoding) => right(key.slice(0, 64), data, encoding))
    ),
  [VECTORS, LENGTHS, TURNS, GIVEN]
)

bite(
  "base64 of another alphabet",
  () =>
    hmacContract(
      "base64 for URLs",
      keeping((...asked) =>
        right(...asked)
          .replaceAll("+", "-")
          .replaceAll("/", "_")
      )
    ),
  [ENCODINGS]
)

bite(
  "data that is written over",
  () =>
    hmacContract(
      "careless codes",
      keeping((key, data, encoding) => {
        const code = right(key, data, encoding)
        data.fill(0)
        return code
      })
    ),
  [LEFT]
)

let last: Uint8Array = new Uint8Array()

bite(
  "a key that is that of whoever came last",
  () =>
    hmacContract(
      "one key for all",
      codesOf((key) => {
        last = key.slice()
        return (data, encoding) => right(last, data, encoding)
      })
    ),
  [TURNS]
)

bite(
  "a key that is read when it is used",
  () =>
    hmacContract(
      "keys of others",
      codesOf((key) => (data, encoding) => right(key, data, encoding))
    ),
  [GIVEN]
)
