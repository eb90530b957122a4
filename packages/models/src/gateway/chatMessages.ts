/** The messages of a chat completion as the SDKs of all providers take them. */
import type { Provider } from "@agent-platform/keys"
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { boundedPrompt, MESSAGES_MAX, PARTS_MAX } from "./GatewayCall.ts"
import { callPart, filePart, imagePart, joined, resultPart } from "./parts.ts"
import { listAt, type Members, maybeAt, membersAt, textAt, unfit } from "./reading.ts"

type UserPart = Extract<LanguageModelV4Message, { readonly role: "user" }>["content"][number]
type AssistantPart = Extract<LanguageModelV4Message, { readonly role: "assistant" }>["content"][number]

/** A content that is text, or parts of text. */
const wordsOf = (content: unknown, at: string): string => {
  if (typeof content === "string") return content.toWellFormed()
  return listAt(content, at, PARTS_MAX)
    .map((part, place) => {
      const { refusal, text, type } = membersAt(part, `${at}/${place}`)
      if (type === "refusal") return textAt(refusal, `${at}/${place}/refusal`)
      return type === "text" ? textAt(text, `${at}/${place}/text`) : unfit(`${at}/${place}/type`, "must be text")
    })
    .join("")
}

const userPart = (part: unknown, at: string, provider: Provider): UserPart => {
  const members = membersAt(part, at)
  switch (members["type"]) {
    case "text":
      return { type: "text", text: textAt(members["text"], `${at}/text`) }
    case "image_url":
      return imagePart(membersAt(members["image_url"], `${at}/image_url`)["url"], `${at}/image_url/url`, provider)
    case "file": {
      const { file_data, filename } = membersAt(members["file"], `${at}/file`)
      return filePart(file_data, filename, `${at}/file/file_data`)
    }
    default:
      return unfit(`${at}/type`, "must be text, image_url or file")
  }
}

const userContent = (content: unknown, at: string, provider: Provider): Array<UserPart> =>
  typeof content === "string"
    ? [{ type: "text", text: content.toWellFormed() }]
    : listAt(content, at, PARTS_MAX).map((part, place) => userPart(part, `${at}/${place}`, provider))

/** The calls of an answer; the names by their ids are noted for the results. */
const callsOf = (given: unknown, at: string, names: Map<string, string>): ReadonlyArray<AssistantPart> =>
  listAt(given, at, PARTS_MAX).map((call, place) => {
    const { function: asked, id } = membersAt(call, `${at}/${place}`)
    const { arguments: text, name } = membersAt(asked, `${at}/${place}/function`)
    const callId = textAt(id, `${at}/${place}/id`)
    const toolName = textAt(name, `${at}/${place}/function/name`)
    names.set(callId, toolName)
    return callPart(callId, toolName, textAt(text, `${at}/${place}/function/arguments`))
  })

const assistantContent = ({ content, tool_calls }: Members, at: string, names: Map<string, string>) => {
  const words = maybeAt(wordsOf, content, `${at}/content`) ?? ""
  const calls = maybeAt((value, place) => callsOf(value, place, names), tool_calls, `${at}/tool_calls`) ?? []
  return [...(words === "" ? [] : [{ type: "text" as const, text: words }]), ...calls]
}

const messageOf = (
  message: Members,
  at: string,
  provider: Provider,
  names: Map<string, string>
): LanguageModelV4Message => {
  switch (message["role"]) {
    case "system":
    case "developer":
      return { role: "system", content: wordsOf(message["content"], `${at}/content`) }
    case "user":
      return { role: "user", content: userContent(message["content"], `${at}/content`, provider) }
    case "assistant":
      return { role: "assistant", content: assistantContent(message, at, names) }
    case "tool": {
      const id = textAt(message["tool_call_id"], `${at}/tool_call_id`)
      const name = names.get(id) ?? unfit(`${at}/tool_call_id`, "must be the id of a call in a message before")
      return { role: "tool", content: [resultPart(id, name, wordsOf(message["content"], `${at}/content`))] }
    }
    default:
      return unfit(`${at}/role`, "must be system, developer, user, assistant or tool")
  }
}

/** The prompt that the messages are. */
export const promptOf = (given: unknown, provider: Provider): LanguageModelV4Prompt => {
  const names = new Map<string, string>()
  const all = listAt(given, "/messages", MESSAGES_MAX)
  if (all.length === 0) unfit("/messages", "must have at least one message")
  const messages = all.map((message, place) => {
    const at = `/messages/${place}`
    return messageOf(membersAt(message, at), at, provider, names)
  })
  return boundedPrompt(joined(messages), "/messages")
}
