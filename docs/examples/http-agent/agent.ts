import OpenAI from "openai"
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(Deno.env.get("SIGNING_SECRET") ?? "")
const own = Deno.env.get("OPENAI_API_KEY")

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 9000), hostname: "127.0.0.1" }, async (request) => {
  const body = await request.text()
  try {
    webhook.verify(body, Object.fromEntries(request.headers))
  } catch {
    return new Response(null, { status: 401 })
  }
  const { gateway, history, message, model, question } = JSON.parse(body)
  const headers = { "content-type": "application/x-ndjson" }
  if (!own && gateway === null) {
    return new Response(`${JSON.stringify({ type: "fail", error: "There is no gateway: BASE_URL is not set" })}\n`, {
      headers
    })
  }
  // With a key of its own it calls OpenAI itself and reports what that used; else the gateway counts.
  const openai = own ? new OpenAI() : new OpenAI({ apiKey: gateway.token, baseURL: gateway.base_url })
  const asked = own ? model.replace("openai/", "") : model
  const before = history.map(({ role, text }: { role: string; text: string }) => ({
    role: role === "agent" ? "assistant" : "user",
    content: text
  }))
  const messages = [...before, { role: "user", content: message }]
  const stream = openai.chat.completions.stream({ model: asked, messages, stream_options: { include_usage: true } })
  const lines = new ReadableStream({
    async start(response) {
      const say = (line: object) => response.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`))
      try {
        stream.on("content", (text) => say({ type: "message.delta", text }))
        const { choices, usage } = await stream.finalChatCompletion()
        const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage!
        if (own) say({ type: "usage", provider: "openai", model: asked, input_tokens, output_tokens })
        const text = choices[0].message.content
        say(
          question === null
            ? { type: "pause", message: `${text} Shall I?` }
            : { type: "result", result: text, message: text }
        )
      } catch (error) {
        say({ type: "fail", error: String((error as Error).message) })
      }
      response.close()
    },
    // The platform hangs up when the run is over.
    cancel: () => stream.abort()
  })
  return new Response(lines, { headers })
})
