/** The page of a product: a chat with an agent by `useChat`, as docs/client.md has it. Its server is in productPage.ts. */
import { createChatTransport, createClient } from "@agent-platform/client"
import { useChat } from "@ai-sdk/react"
import {
  type ChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  type UIMessage
} from "ai"
import { createElement as h, type SubmitEvent, useState } from "react"
import { createRoot } from "react-dom/client"

type Part = UIMessage["parts"][number]

const post = async (path: string, body: unknown) => {
  const headers = { "content-type": "application/json" }
  return (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json()
}

const transport = createChatTransport({
  client: createClient({
    baseUrl: new URLSearchParams(location.search).get("api") ?? "",
    apiKey: () => post("/chat/key", { session_id: sessionStorage.getItem("session") })
  }),
  send: (said) => post("/chat", said),
  sessionId: sessionStorage.getItem("session"),
  onSession: (id) => sessionStorage.setItem("session", id)
})

interface PartProps {
  readonly part: Part
  readonly chat: ReturnType<typeof useChat>
}

const PartView = ({ chat, part }: PartProps) => {
  if (part.type === "text") return h("p", null, part.text)
  if (part.type === "data-question") return h("p", null, "[question]")
  if (part.type === "data-result") return h("p", null, `[result ${JSON.stringify(part.data)}]`)
  if (part.type !== "dynamic-tool") return null
  const output = part.state === "output-available" ? ` ${JSON.stringify(part.output)}` : ""
  const answer = () =>
    void chat.addToolOutput({ tool: part.toolName as never, toolCallId: part.toolCallId, output: "Berlin" as never })
  const approve = () => void chat.addToolApprovalResponse({ id: part.approval?.id ?? "", approved: true })
  return h(
    "p",
    null,
    `[${part.toolName} ${JSON.stringify(part.input)} ${part.state}${output}]`,
    part.state === "approval-requested" && h("button", { type: "button", onClick: approve }, "Approve"),
    part.state === "input-available" &&
      part.toolName === "locate" &&
      h("button", { type: "button", onClick: answer }, "Answer")
  )
}

const Chat = ({ messages }: { readonly messages: Array<UIMessage> }) => {
  const [text, setText] = useState("")
  const chat = useChat({
    transport: transport satisfies ChatTransport<UIMessage>,
    messages,
    resume: true,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithToolCalls(state) || lastAssistantMessageIsCompleteWithApprovalResponses(state)
  })
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setText("")
    void chat.sendMessage({ text })
  }
  return h(
    "main",
    null,
    chat.messages.map(({ id, parts, role }) =>
      h(
        "article",
        { key: id, "aria-label": role },
        parts.map((part, key) => h(PartView, { key, part, chat }))
      )
    ),
    h("output", null, chat.error?.message ?? chat.status),
    h(
      "form",
      { onSubmit: send },
      h("input", { "aria-label": "Message", value: text, onChange: (event) => setText(event.target.value) }),
      h("button", { type: "submit" }, "Send")
    )
  )
}

const messages = await transport.loadMessages((from) => readUIMessageStream<UIMessage>(from))
createRoot(document.body.appendChild(document.createElement("div"))).render(h(Chat, { messages }))
