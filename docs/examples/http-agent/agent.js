import { createServer } from "node:http"
import OpenAI from "openai"
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.SIGNING_SECRET)
const own = process.env.OPENAI_API_KEY

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  try {
    webhook.verify(body, request.headers)
  } catch {
    return response.writeHead(401).end()
  }
  const { gateway, history, message, model, question } = JSON.parse(body)
  const say = (line) => response.write(`${JSON.stringify(line)}\n`)
  response.writeHead(200, { "content-type": "application/x-ndjson" })
  const messages = history.map(({ role, text }) => ({ role: role === "agent" ? "assistant" : "user", content: text }))
  try {
    if (!own && gateway === null) throw new Error("There is no gateway: BASE_URL is not set")
    // With a key of its own it calls OpenAI itself and reports what that used; else the gateway counts.
    const openai = own ? new OpenAI() : new OpenAI({ apiKey: gateway.token, baseURL: gateway.base_url })
    const stream = openai.chat.completions.stream({
      model: own ? model.replace("openai/", "") : model,
      messages: [...messages, { role: "user", content: message }],
      stream_options: { include_usage: true }
    })
    // The platform hangs up when the run is over.
    response.on("close", () => stream.abort())
    stream.on("content", (text) => say({ type: "message.delta", text }))
    const { choices, usage } = await stream.finalChatCompletion()
    const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage
    if (own)
      say({ type: "usage", provider: "openai", model: model.replace("openai/", ""), input_tokens, output_tokens })
    const text = choices[0].message.content
    say(
      question === null
        ? { type: "pause", message: `${text} Shall I?` }
        : { type: "result", result: text, message: text }
    )
  } catch (error) {
    say({ type: "fail", error: String(error.message) })
  }
  response.end()
}).listen(process.env.PORT ?? 9000, "127.0.0.1")
