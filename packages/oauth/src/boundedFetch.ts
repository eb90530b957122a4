import type { CustomFetch } from "openid-client"

/** Most bytes of a provider's answer. Their documents have some ten thousand. */
export const ANSWER_BYTES_MAX = 1024 * 1024

const read = async (response: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX) throw new RangeError(`The answer is larger than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** `fetch` that reads answers within bounds. The signal of the request ends the reading, too. */
export const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit)
  const { headers, status, statusText } = response
  const bytes = await read(response)
  return new Response(bytes.length === 0 ? null : bytes, { headers, status, statusText })
}
