/** A hand-written server in a process of its own: `fastify` or `node`, over the database at the second argument. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import fastify from "fastify"
import { makeEndpoints, type NewRun, type Reply } from "./handwritten.ts"

const [kind, databaseUrl = ""] = process.argv.slice(2)
const endpoints = makeEndpoints(databaseUrl)
const RUNS = "/api/v1/runs/"

const startFastify = async (): Promise<number> => {
  const app = fastify()
  app.get<{ Params: { id: string } }>(`${RUNS}:id`, async (request, reply) => {
    const { status, body } = await endpoints.getRun(request.headers["x-api-key"], request.params.id)
    return reply.code(status).send(body)
  })
  app.post<{ Body: NewRun }>(RUNS, async (request, reply) => {
    const { status, body } = await endpoints.postRun(request.headers["x-api-key"], request.body)
    return reply.code(status).send(body)
  })
  await app.listen({ port: 0, host: "127.0.0.1" })
  return (app.server.address() as AddressInfo).port
}

const readJson = (request: IncomingMessage) =>
  new Promise<NewRun>((resolve, reject) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("error", reject)
    request.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString("utf8"))))
  })

const replyTo = async (request: IncomingMessage): Promise<Reply> => {
  const key = request.headers["x-api-key"]
  const url = request.url ?? ""
  if (request.method === "POST" && url === RUNS) return endpoints.postRun(key, await readJson(request))
  if (request.method === "GET" && url.startsWith(RUNS)) return endpoints.getRun(key, url.slice(RUNS.length))
  return { status: 404, body: { code: "not_found" } }
}

const startNode = async (): Promise<number> => {
  const server = createServer((request, response) => {
    replyTo(request).then(
      ({ body, status }) => {
        const text = JSON.stringify(body)
        response.writeHead(status, {
          "content-type": "application/json; charset=utf-8",
          "content-length": Buffer.byteLength(text)
        })
        response.end(text)
      },
      () => response.writeHead(500).end()
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

const port = await (kind === "fastify" ? startFastify() : startNode())
process.send?.({ port })
// The process that measures may be gone without having stopped it.
process.once("disconnect", () => process.exit())
