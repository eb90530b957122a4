/** A service account of the tests, and a server that gives tokens for it. */
import { Buffer } from "node:buffer"
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import { createServer } from "node:http"
import { Effect } from "effect"

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" }
})

const EMAIL = "agents@project.iam.gserviceaccount.com"

/** Its key file, as a provider key of Vertex AI. */
export const VERTEX_KEY = Buffer.from(
  JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: "k1",
    private_key: privateKey,
    client_email: EMAIL
  })
).toString("base64")

/** A token that looks like one of Google's and is none. */
export const TOKEN = "ya29.fixture-0123456789-abcdefghijkl"

/** Whether the body of a request for a token holds a statement of the account that is signed by its key and made now. */
export const isSigned = (body: string): boolean => {
  const form = new URLSearchParams(body)
  const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".")
  const said = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}")
  return (
    form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
    said.iss === EMAIL &&
    said.aud === "https://oauth2.googleapis.com/token" &&
    Math.abs(said.iat - Date.now() / 1_000) < 60 &&
    said.exp - said.iat === 3_600 &&
    verify(
      "sha256",
      Buffer.from(`${head}.${claims}`),
      createPublicKey(publicKey),
      new Uint8Array(Buffer.from(signature, "base64url"))
    )
  )
}

/** Gives TOKEN for signed statements, and nothing for others. */
export const tokenServer = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (piece) => {
        body += piece
      })
      request.on("end", () => {
        response.writeHead(isSigned(body) ? 200 : 400, { "content-type": "application/json" })
        response.end(
          JSON.stringify(isSigned(body) ? { access_token: TOKEN, expires_in: 3_599 } : { error: "invalid_grant" })
        )
      })
    }).listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : undefined
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/token`, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
