import type { CustomFetch } from "openid-client"

/** Most bytes of a provider's answer. Real documents have some ten thousand. */
export const ANSWER_BYTES_MAX = 1024 * 1024

const read = async (response: Response): Promise<Blob> => {
  const chunks: Array<BlobPart> = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX) throw new RangeError(`The answer is larger than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return new Blob(chunks)
}

/**
 * `fetch` that reads answers within bounds. The signal of the request ends the reading, too. The cast is between the library's type
 * for the options of `fetch` and the runtime's.
 */
export const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit)
  const { headers, status, statusText } = response
  const body = await read(response)
  return new Response(body.size === 0 ? null : body, { headers, status, statusText })
}
