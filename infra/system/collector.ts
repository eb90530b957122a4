/** A collector of traces on loopback, for tests. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A span as a collector gets it, with what its process says of itself. */
export interface Span {
  readonly app: string
  readonly resource: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
}

interface Export {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: Span["attributes"] }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Omit<Span, "app" | "resource">> }>
  }>
}

/** The value of an attribute, whatever its type. */
export const attributeOf = (attributes: Span["attributes"], key: string) =>
  Object.values(attributes.find((attribute) => attribute.key === key)?.value ?? {})[0]

/** An OTLP collector: the spans that it got, and the credentials that they came with. */
export const startCollector = async () => {
  const spans: Array<Span> = []
  const credentials = new Set<string | undefined>()
  const server = createServer((request, response) => {
    credentials.add(request.headers.authorization)
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Export
      for (const { resource, scopeSpans } of resourceSpans) {
        const app = String(attributeOf(resource.attributes, "service.name"))
        for (const scope of scopeSpans)
          spans.push(...scope.spans.map((span) => ({ ...span, app, resource: resource.attributes })))
      }
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    credentials,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
