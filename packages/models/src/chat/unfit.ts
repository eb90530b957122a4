/** Why a provider refuses a request that it would take with other messages. */
import { type ProviderAnswer, textAt } from "../ProviderAnswer.ts"

/**
 * `context_full`: the conversation is longer than the model's window. `reasoning_unreadable`: the provider cannot read the reasoning that
 * it is shown again. `content_unreadable`: it cannot fetch what was sent by its address.
 */
export type Unfit = "context_full" | "reasoning_unreadable" | "content_unreadable"

/** Providers' own codes. Most have none that says more than that a request is invalid, and are known by their words. */
const CODES: Readonly<Record<string, Unfit>> = {
  context_length_exceeded: "context_full",
  exceed_context_size_error: "context_full",
  request_too_large: "context_full",
  invalid_encrypted_content: "reasoning_unreadable",
  invalid_image_url: "content_unreadable"
}

/** No pattern repeats in more than one place, so that each takes linear time. */
const WORDS: ReadonlyArray<readonly [RegExp, Unfit]> = [
  [/\b(?:prompt|input|request) is too long\b/i, "context_full"],
  [/\bexceeds? (?:the )?(?:available |model's )?context (?:limit|window|size|length)\b/i, "context_full"],
  [/\bmaximum context length\b|\bContextWindowExceededError\b/i, "context_full"],
  [/\binput token count\b|\bnumber of input tokens\b|\binput tokens exceed|\btoo many input tokens\b/i, "context_full"],
  [/\bsignature\b[^.]{0,40}\b(?:thinking|thought|reasoning)\b/i, "reasoning_unreadable"],
  [/\b(?:thinking|thought|reasoning)[ _]signature\b/i, "reasoning_unreadable"],
  [/\bredacted_thinking` blocks\b.{0,60}\bcannot be modified\b/i, "reasoning_unreadable"],
  [/\b(?:download|fetch|retriev)(?:e|ed|ing)?\b|\b(?:image|file)[ _]url\b|\bprovided url\b/i, "content_unreadable"]
]

/** How much of an explanation is searched, in characters. */
const SEARCHED_LENGTH_MAX = 1_000

const readUnfit = (code: string, type: string, message: string): Unfit | undefined => {
  for (const name of [code, type]) if (Object.hasOwn(CODES, name)) return CODES[name]
  const words = message.slice(0, SEARCHED_LENGTH_MAX)
  return WORDS.find(([pattern]) => pattern.test(words))?.[1]
}

/** The meaning of a provider's error for the messages; undefined where it is about something else. */
const unfitOf = (error: unknown): Unfit | undefined =>
  readUnfit(textAt(error, "code"), textAt(error, "type"), textAt(error, "message"))

/** Statuses of refusals that speak of the request itself. */
const OF_REQUESTS = new Set([400, 413, 422])

/** The meaning for the messages of an answer that refuses a request. */
export const unfitOfAnswer = ({ body, status }: ProviderAnswer): Unfit | undefined => {
  if (!OF_REQUESTS.has(status)) return undefined
  const error = (body as { readonly error?: unknown } | undefined)?.error
  return unfitOf(typeof error === "object" ? error : body)
}

/** Where the events of a stream have an error that ends it. */
const PLACES: ReadonlyArray<(event: Readonly<Record<string, unknown>>) => unknown> = [
  ({ error }) => error,
  ({ response }) => (response as { readonly error?: unknown } | null | undefined)?.error,
  ({ validationException }) => validationException,
  (event) => (event["type"] === "error" ? event : undefined)
]

/** The meaning for the messages of an event in a stream that began with success. */
export const unfitOfEvent = (event: unknown): Unfit | undefined => {
  if (typeof event !== "object" || event === null) return undefined
  for (const place of PLACES) {
    const error = place(event as Readonly<Record<string, unknown>>)
    if (typeof error === "object" && error !== null) {
      const unfit = unfitOf(error)
      if (unfit !== undefined) return unfit
    }
  }
  return undefined
}

/** In words that may be shown: those of a stream have not been searched for parts of the key. */
export const UNFIT_WORDS: Readonly<Record<Unfit, string>> = {
  context_full: "the conversation is longer than the model takes",
  reasoning_unreadable: "it cannot read its earlier reasoning",
  content_unreadable: "it cannot read what was sent by its address"
}
