import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { createServer } from "node:http"
import { after, test } from "node:test"
import { Webhook } from "standardwebhooks"

const SECRET = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"

/** A gateway that says two words. */
const gateway = createServer((request, response) => {
  const chunk = (delta, finish_reason = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    )
  request.resume()
  response.writeHead(200, { "content-type": "text/event-stream" })
  chunk({ role: "assistant", content: "Good " })
  chunk({ content: "day" })
  chunk({}, "stop")
  response.write(
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } })}\n\n`
  )
  response.end("data: [DONE]\n\n")
})
await new Promise((resolve) => gateway.listen(0, "127.0.0.1", resolve))
after(() => gateway.close())

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const base_url = `http://127.0.0.1:${gateway.address().port}/v1`

const AGENTS = {
  node: ["node", "agent.js"],
  deno: ["deno", "run", "-A", "--no-lock", "--node-modules-dir=manual", "agent.ts"],
  python: ["python3", "agent.py"]
}

for (const [name, [command, ...args]] of Object.entries(AGENTS)) {
  const isThere =
    name === "python"
      ? spawnSync(command, ["-c", "import openai, standardwebhooks"]).status === 0
      : spawnSync(command, ["--version"]).status === 0
  test(`the agent for ${name}`, {
    skip: isThere ? false : `${command} is not installed here, or lacks its packages`
  }, async () => {
    const port = await freePort()
    const agent = spawn(command, args, {
      env: { ...process.env, PORT: String(port), SIGNING_SECRET: SECRET },
      stdio: ["ignore", "inherit", "inherit"]
    })
    after(() => agent.kill())
    const ask = async (order, secret = SECRET) => {
      const body = JSON.stringify({
        gateway: { base_url, token: "agt_" },
        history: [],
        message: "Hello",
        model: "openai/gpt-5",
        question: null,
        ...order
      })
      const at = new Date()
      const headers = {
        "webhook-id": "run",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(secret).sign("run", at, body)
      }
      for (;;) {
        try {
          const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body })
          const text = await answer.text()
          return {
            status: answer.status,
            lines: answer.ok
              ? text
                  .trim()
                  .split("\n")
                  .map((line) => JSON.parse(line))
              : []
          }
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }
    }
    const asked = await ask({})
    assert.equal(asked.lines.flatMap(({ text }) => text ?? []).join(""), "Good day")
    assert.deepEqual(asked.lines.at(-1), { type: "pause", message: "Good day Shall I?" })
    const history = [
      { role: "user", text: "Hello" },
      { role: "agent", text: "Good day Shall I?" }
    ]
    const answered = await ask({ history, message: "Yes", question: { message: "Good day Shall I?" } })
    assert.deepEqual(answered.lines.at(-1), { type: "result", result: "Good day", message: "Good day" })
    assert.equal((await ask({}, "whsec_Z3Vlc3NlZCBzZWNyZXQgb2YgMzIgYnl0ZXMgLi4u")).status, 401)
  })
}
