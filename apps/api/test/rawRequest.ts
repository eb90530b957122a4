import { connect } from "node:net"
import { Effect } from "effect"
import { TestApi } from "./support.ts"

/** Sends bytes as they are and answers everything that comes back until the other side closes. */
export const rawRequest = Effect.fnUntraced(function* (text: string) {
  const { port } = yield* TestApi
  return yield* Effect.callback<string>((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    let answer = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      answer += chunk
    })
    socket.on("error", () => resume(Effect.succeed(answer)))
    socket.on("close", () => resume(Effect.succeed(answer)))
    return Effect.sync(() => socket.destroy())
  })
})
