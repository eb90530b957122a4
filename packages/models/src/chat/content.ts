/** Images and files that were sent beside messages, as a model is shown them. */
import { Egress } from "@agent-platform/kernel"
import type { Provider } from "@agent-platform/keys"
import {
  CONTENT_BASE64_LENGTH_MAX,
  type ContentPart,
  IMAGE_TYPES,
  type Run,
  RunContentStore,
  type RunId,
  type Turn
} from "@agent-platform/runs"
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { ChatFailed } from "./ChatFailed.ts"

type UserPart = Extract<LanguageModelV4Message, { readonly role: "user" }>["content"][number]

/** Most bytes of JSON of content that a model gets at once, which is that of one message and as much of earlier ones. */
const CONTENT_BYTES_MAX = 2 * CONTENT_BASE64_LENGTH_MAX + 2 * 1024 * 1024

/** A note in the place of content that is left out. */
const LEFT_OUT: UserPart = { type: "text", text: "[What was sent here is left out: too much came after it]" }

/** Most bytes of what is fetched for a provider that does not do so itself, for each part, and how long that may take. */
const FETCHED_BYTES_MAX = 3 * 1024 * 1024
const FETCHING_MILLIS_MAX = 30_000

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

/** Whether something was sent with the run's message. */
export const hasContent = ({ id, workspaceId }: Run) =>
  Effect.map(
    RunContentStore.use((contents) => contents.sizes(workspaceId, [id])),
    (sizes) => sizes.size > 0
  )

/** Providers whose models are given no addresses. */
const FETCHED_FOR: ReadonlySet<Provider> = new Set(["google", "vertex", "bedrock"])

/** Whether the provider reads an address by itself. Texts are shown as such by nobody but us. */
const readsAddresses = (provider: Provider, part: Exclude<ContentPart, { type: "text" }>): boolean => {
  if (FETCHED_FOR.has(provider)) return false
  return part.type === "image" || (part.mediaType === "application/pdf" && provider !== "openai_compatible")
}

const cannotRead = (url: string, why: string) =>
  new ChatFailed({ errorCode: "invalid_input", error: `${new URL(url).host} could not be read: ${why}` })

interface Read {
  readonly mediaType: string
  readonly data: string
}

/** The file at an address, over guarded egress. Fails with ChatFailed. */
const fetched = Effect.fnUntraced(function* (url: string, mediaType: string | null) {
  const egress = yield* Egress
  const answer = yield* egress
    .send({
      purpose: "tools",
      method: "GET",
      url,
      headers: { accept: mediaType ?? IMAGE_TYPES.join(", ") },
      body: null,
      deadlineMillis: FETCHING_MILLIS_MAX,
      readBytesMax: FETCHED_BYTES_MAX + 1
    })
    .pipe(Effect.mapError(({ detail }) => cannotRead(url, detail)))
  if (answer.status !== 200) return yield* cannotRead(url, `it answered ${answer.status}`)
  if (answer.body.length > FETCHED_BYTES_MAX)
    return yield* cannotRead(url, `it is larger than ${FETCHED_BYTES_MAX} bytes`)
  const said = answer.headers["content-type"]?.split(";")[0]?.trim() ?? ""
  const found = mediaType ?? IMAGE_TYPES.find((type) => type === said)
  if (found === undefined) return yield* cannotRead(url, `it is not one of ${IMAGE_TYPES.join(", ")}`)
  return { mediaType: found, data: Base64.encode(answer.body) } satisfies Read
})

const decoded = (data: string): string => new TextDecoder().decode(Result.getOrThrow(Base64.decode(data)))

const shownAs = (part: Exclude<ContentPart, { type: "text" }>, { data, mediaType }: Read): UserPart => {
  const filename = part.type === "file" ? part.filename : null
  if (mediaType.startsWith("text/")) {
    return { type: "text", text: `${filename === null ? "" : `${filename}:\n`}${decoded(data)}` }
  }
  return { type: "file", mediaType, data: { type: "data", data }, ...(filename === null ? {} : { filename }) }
}

/** The part as the provider's SDK takes it. Fails with ChatFailed where it cannot be read. */
const shown = Effect.fnUntraced(function* (
  provider: Provider,
  part: ContentPart
): Effect.fn.Return<UserPart, ChatFailed, Egress> {
  if (part.type === "text") return { type: "text", text: part.text }
  const { source } = part
  if (source.type === "data") return shownAs(part, { mediaType: part.mediaType ?? "image/png", data: source.data })
  if (!readsAddresses(provider, part)) return shownAs(part, yield* fetched(source.url, part.mediaType))
  const url = new URL(source.url)
  const filename = part.type === "file" && part.filename !== null ? { filename: part.filename } : {}
  return { type: "file", mediaType: part.mediaType ?? "image/*", data: { type: "url", url }, ...filename }
})

/** The content of runs by their ids, ready to be shown. */
export type ShownContent = ReadonlyMap<RunId, ReadonlyArray<UserPart>>

/** Reads the content of all runs that the messages name. Fails with ChatFailed. */
export const showContent = Effect.fnUntraced(function* (
  { run }: Turn,
  provider: Provider,
  messages: ReadonlyArray<LanguageModelV4Message>
) {
  const ids = [...new Set(messages.flatMap((message) => markOf(message) ?? []))]
  if (ids.length === 0) return new Map<RunId, ReadonlyArray<UserPart>>()
  const contents = yield* RunContentStore
  const sizes = yield* contents.sizes(run.workspaceId, ids)
  if (sizes.size === 0) return new Map<RunId, ReadonlyArray<UserPart>>()
  const found = yield* contents.load(run.workspaceId, fitting(ids, sizes))
  const all = yield* Effect.forEach(found, ([id, parts]) =>
    Effect.map(
      Effect.forEach(parts, (part) => shown(provider, part)),
      (content) => [id, content] as const
    )
  )
  const leftOut = [...sizes.keys()].filter((id) => !found.has(id)).map((id) => [id, [LEFT_OUT]] as const)
  return new Map<RunId, ReadonlyArray<UserPart>>([...all, ...leftOut])
})

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
