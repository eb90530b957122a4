/** Images and files that were sent beside messages, as a model is shown them. */
import type { Egress } from "@agent-platform/kernel"
import type { Provider } from "@agent-platform/keys"
import {
  CONTENT_BASE64_LENGTH_MAX,
  CONTENT_PARTS_MAX,
  type ContentPart,
  type Run,
  RunContentStore,
  type RunId,
  type Turn
} from "@agent-platform/runs"
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import type { ChatFailed } from "./ChatFailed.ts"
import type { PastTurn } from "./Conversation.ts"
import { type ContentBudget, type FileData, fetchContent, isText } from "./fetchContent.ts"
import { bytesOf } from "./tokens.ts"

type UserPart = Extract<LanguageModelV4Message, { readonly role: "user" }>["content"][number]

/** Most bytes of JSON of content that a model gets at once: what one message may have, as much of earlier ones, and the JSON around. */
const CONTENT_BYTES_MAX = 2 * CONTENT_BASE64_LENGTH_MAX + 2 * 1024 * 1024

/** How long a turn fetches at most, all content together. */
const CONTENT_MILLIS_MAX = 60_000

/** How many addresses a turn reads at most: all of its own message, and as many of earlier ones. */
const FETCHES_MAX = 2 * CONTENT_PARTS_MAX

/** The note in the place of content for which there is no room. */
const LEFT_OUT_NOTE: UserPart = {
  type: "text",
  text: "[What was sent here is left out: with what came after it, it is too much]"
}

/** The note in the place of content of an earlier run that cannot be fetched any more. */
const UNREADABLE_NOTE: UserPart = { type: "text", text: "[What was sent here could not be read any more]" }

/** The name under which a message says which run's content belongs to it. Providers do not see it. */
const MARK = "run_content"

/** A message to which the content of a run belongs. The content itself is kept once, and not in every state of a conversation. */
export const withMark = (message: LanguageModelV4Message, runId: RunId): LanguageModelV4Message => ({
  ...message,
  providerOptions: { [MARK]: { run: runId } }
})

const markOf = ({ providerOptions }: LanguageModelV4Message): RunId | undefined =>
  providerOptions?.[MARK]?.["run"] as RunId | undefined

/** Those of the runs whose content fits, the latest first. */
const fitting = (ids: ReadonlyArray<RunId>, sizes: ReadonlyMap<RunId, number>): ReadonlyArray<RunId> => {
  let left = CONTENT_BYTES_MAX
  return ids.toReversed().filter((id) => {
    left -= sizes.get(id) ?? 0
    return sizes.has(id) && left >= 0
  })
}

/** Whether a prompt has addresses that its provider is to read. */
export const hasAddresses = (prompt: LanguageModelV4Prompt): boolean =>
  prompt.some(
    ({ content, role }) => role === "user" && content.some((part) => part.type === "file" && part.data.type === "url")
  )

/** Whether something was sent with the run's message. */
export const hasContent = ({ id, workspaceId }: Run) =>
  Effect.map(
    RunContentStore.use((contents) => contents.sizes(workspaceId, [id])),
    (sizes) => sizes.size > 0
  )

/** Providers whose models are given no addresses. */
export const FETCHED_FOR: ReadonlySet<Provider> = new Set(["google", "vertex", "bedrock"])

/** Whether the provider of a model reads an address by itself. No provider reads text files: the platform makes text parts of them. */
const readsAddresses = (provider: Provider, part: Exclude<ContentPart, { type: "text" }>): boolean => {
  if (FETCHED_FOR.has(provider)) return false
  return part.type === "image" || (part.mediaType === "application/pdf" && provider !== "openai_compatible")
}

/** Who reads the addresses of content: the provider where it can, or the platform all of them. */
export type Reader = Provider | "platform"

const decoded = (data: string): string => new TextDecoder().decode(Result.getOrThrow(Base64.decode(data)))

const shownAs = (part: Exclude<ContentPart, { type: "text" }>, { data, mediaType }: FileData): UserPart => {
  const filename = part.type === "file" ? part.filename : null
  if (isText(mediaType)) {
    return { type: "text", text: `${filename === null ? "" : `${filename}:\n`}${decoded(data)}` }
  }
  return { type: "file", mediaType, data: { type: "data", data }, ...(filename === null ? {} : { filename }) }
}

/** The part as the provider's SDK takes it. Fails with ChatFailed where it cannot be read. */
const shownPart = Effect.fnUntraced(function* (
  reader: Reader,
  part: ContentPart,
  budget: ContentBudget
): Effect.fn.Return<UserPart, ChatFailed, Egress> {
  if (part.type === "text") return { type: "text", text: part.text }
  const { source } = part
  // Beside data there is always a type.
  if (source.type === "data") return shownAs(part, { mediaType: part.mediaType ?? "image/png", data: source.data })
  if (reader === "platform" || !readsAddresses(reader, part)) {
    const read = yield* fetchContent(source.url, part.mediaType, budget)
    return read === undefined ? LEFT_OUT_NOTE : shownAs(part, read)
  }
  const url = new URL(source.url)
  const filename = part.type === "file" && part.filename !== null ? { filename: part.filename } : {}
  return { type: "file", mediaType: part.mediaType ?? "image/*", data: { type: "url", url }, ...filename }
})

/** The content of runs by their ids, ready to be shown. */
export type ShownContent = ReadonlyMap<RunId, ReadonlyArray<UserPart>>

/**
 * Reads the content of all runs that the messages name, the latest first and one part after the other, so that no more is held than
 * one budget. Fails with ChatFailed where something of the run itself cannot be read: an address that has died since an earlier run
 * must not end its session.
 */
export const showContent = Effect.fnUntraced(function* (
  { run }: Turn,
  reader: Reader,
  messages: ReadonlyArray<LanguageModelV4Message>
) {
  const all = new Map<RunId, ReadonlyArray<UserPart>>()
  const ids = [...new Set(messages.flatMap((message) => markOf(message) ?? []))]
  if (ids.length === 0) return all
  const contents = yield* RunContentStore
  const sizes = yield* contents.sizes(run.workspaceId, ids)
  if (sizes.size === 0) return all
  const found = yield* contents.load(run.workspaceId, fitting(ids, sizes))
  const budget: ContentBudget = { bytes: CONTENT_BYTES_MAX, millis: CONTENT_MILLIS_MAX, fetches: FETCHES_MAX }

  const shownOf = Effect.fnUntraced(function* (id: RunId, part: ContentPart) {
    const bytesBefore = budget.bytes
    const isOwn = id === run.id
    const read = yield* Effect.catch(shownPart(reader, part, budget), (failed) =>
      isOwn ? Effect.fail(failed) : Effect.succeed(UNREADABLE_NOTE)
    )
    // Fetching has paid for the file; as JSON a text can be longer than that.
    budget.bytes = Math.min(budget.bytes, bytesBefore - bytesOf(JSON.stringify(read)))
    return budget.bytes < 0 ? LEFT_OUT_NOTE : read
  })

  for (const id of ids.toReversed()) {
    if (!sizes.has(id)) continue
    const parts = budget.bytes < 0 ? undefined : found.get(id)
    all.set(id, parts === undefined ? [LEFT_OUT_NOTE] : yield* Effect.forEach(parts, (part) => shownOf(id, part)))
  }
  return all
})

/** A turn with a note in the place of the content that was sent with it; the same turn where there was none. */
export const withoutContent = (turn: PastTurn, contents: ShownContent): PastTurn => {
  const isWith = (message: LanguageModelV4Message) => contents.has(markOf(message) ?? ("" as RunId))
  if (!turn.messages.some(isWith)) return turn
  return {
    ...turn,
    messages: turn.messages.map((message) => {
      if (message.role !== "user" || !isWith(message)) return message
      const { providerOptions: _, ...rest } = message
      return { ...rest, content: [...rest.content, LEFT_OUT_NOTE] }
    })
  }
}

/** The messages with the content that belongs to them. */
export const withContent = (
  messages: ReadonlyArray<LanguageModelV4Message>,
  contents: ShownContent
): LanguageModelV4Prompt =>
  messages.map((message) => {
    const id = markOf(message)
    if (id === undefined || message.role !== "user") return message
    const { providerOptions, ...rest } = message
    return { ...rest, content: [...rest.content, ...(contents.get(id) ?? [])] }
  })
