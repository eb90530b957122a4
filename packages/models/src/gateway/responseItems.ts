/** The input of a response as the SDKs of all providers take it. */
import type { Provider } from "@agent-platform/keys"
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { boundedPrompt, MESSAGES_MAX, PARTS_MAX } from "./GatewayCall.ts"
import { callPart, filePart, imagePart, joined, resultPart } from "./parts.ts"
import { listAt, type Members, membersAt, textAt, unfit } from "./reading.ts"

type UserPart = Extract<LanguageModelV4Message, { readonly role: "user" }>["content"][number]

/** A content that is text, or parts of text. */
const wordsOf = (content: unknown, at: string): string => {
  if (typeof content === "string") return content.toWellFormed()
  return listAt(content, at, PARTS_MAX)
    .map((part, place) => {
      const { refusal, text, type } = membersAt(part, `${at}/${place}`)
      if (type === "refusal") return textAt(refusal, `${at}/${place}/refusal`)
      return type === "input_text" || type === "output_text"
        ? textAt(text, `${at}/${place}/text`)
        : unfit(`${at}/${place}/type`, "must be input_text or output_text")
    })
    .join("")
}

const userPart = (part: unknown, at: string, provider: Provider): UserPart => {
  const members = membersAt(part, at)
  switch (members["type"]) {
    case "input_text":
      return { type: "text", text: textAt(members["text"], `${at}/text`) }
    case "input_image":
      return imagePart(members["image_url"], `${at}/image_url`, provider)
    case "input_file":
      return filePart(members["file_data"], members["filename"], `${at}/file_data`)
    default:
      return unfit(`${at}/type`, "must be input_text, input_image or input_file")
  }
}

const messageOf = ({ content, role }: Members, at: string, provider: Provider): LanguageModelV4Message => {
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", content: wordsOf(content, `${at}/content`) }
    case "assistant":
      return { role, content: [{ type: "text", text: wordsOf(content, `${at}/content`) }] }
    case "user": {
      if (typeof content === "string") return { role, content: [{ type: "text", text: content.toWellFormed() }] }
      const parts = listAt(content, `${at}/content`, PARTS_MAX)
      return { role, content: parts.map((part, place) => userPart(part, `${at}/content/${place}`, provider)) }
    }
    default:
      return unfit(`${at}/role`, "must be system, developer, user or assistant")
  }
}

const itemOf = (
  item: Members,
  at: string,
  provider: Provider,
  names: Map<string, string>
): LanguageModelV4Message | undefined => {
  switch (item["type"] ?? "message") {
    case "message":
      return messageOf(item, at, provider)
    case "function_call": {
      const id = textAt(item["call_id"], `${at}/call_id`)
      const name = textAt(item["name"], `${at}/name`)
      names.set(id, name)
      return { role: "assistant", content: [callPart(id, name, textAt(item["arguments"], `${at}/arguments`))] }
    }
    case "function_call_output": {
      const id = textAt(item["call_id"], `${at}/call_id`)
      const name = names.get(id) ?? unfit(`${at}/call_id`, "must be the call_id of a function_call before")
      return { role: "tool", content: [resultPart(id, name, wordsOf(item["output"], `${at}/output`))] }
    }
    // A provider takes reasoning back only in a form of its own, which the answers here do not give out: it is left out.
    case "reasoning":
      return undefined
    default:
      return unfit(`${at}/type`, "must be message, function_call, function_call_output or reasoning")
  }
}

/** The prompt that instructions and input are. */
export const inputPromptOf = (
  instructions: string | null | undefined,
  input: unknown,
  provider: Provider
): LanguageModelV4Prompt => {
  const names = new Map<string, string>()
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listAt(input, "/input", MESSAGES_MAX)
  if (items.length === 0) unfit("/input", "must have at least one item")
  const messages = items.flatMap((item, place) => {
    const at = `/input/${place}`
    return itemOf(membersAt(item, at), at, provider, names) ?? []
  })
  const system = instructions == null ? [] : [{ role: "system" as const, content: instructions.toWellFormed() }]
  return boundedPrompt(joined([...system, ...messages]), "/input")
}
