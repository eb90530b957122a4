/** An agent of one's own on loopback, whose every answer is said by who started it. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request to the agent, and its answer, line by line. */
export interface Turn {
  readonly asked: { readonly message: string | null; readonly input: Readonly<Record<string, unknown>> | null }
  readonly say: (...lines: ReadonlyArray<object>) => void
  /** The last line: a result, a pause or a failure. */
  readonly end: (line: object) => void
}

export const startAgent = async () => {
  const places: Array<PromiseWithResolvers<Turn>> = []
  const at = (place: number): PromiseWithResolvers<Turn> => {
    while (places.length <= place) places.push(Promise.withResolvers<Turn>())
    return places[place] as PromiseWithResolvers<Turn>
  }
  let come = 0
  const server = createServer((request, response: ServerResponse) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece) => {
      body += piece
    })
    request.on("end", () => {
      const say: Turn["say"] = (...lines) =>
        void response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
      at(come++).resolve({
        asked: JSON.parse(body),
        say,
        end: (line) => void response.end(`${JSON.stringify(line)}\n`)
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`,
    /** The request with this number, from 0, once it has come. */
    turn: (place: number): Promise<Turn> => at(place).promise,
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
