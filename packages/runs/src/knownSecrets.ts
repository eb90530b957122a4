/** Secrets that are known by their value, found in texts. */

/** Shorter values are not looked for: they stand in any text by chance. */
const LENGTH_MIN = 8

/** A value is found by its first characters, so many at most: comparing all of a long value at each place of a text could take very long. */
const HEAD_LENGTH = 32

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A text as it is, and as languages write it into JSON, URLs, forms and HTML. */
const writingsOf = (text: string): ReadonlyArray<string> => {
  const json = JSON.stringify(text).slice(1, -1)
  const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`
  const url = encodeURIComponent(text.toWellFormed())
  return [
    text,
    json,
    json.replaceAll("/", "\\/"),
    json.replaceAll(/[&<>]/g, escaped),
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one)
  ]
}

/** A secret, and the same without its prefix, a scheme such as `Bearer` or our own `whsec_`: each as it can be written. */
const formsOf = (secret: string): ReadonlyArray<string> =>
  [secret, secret.replace(/^(?:\S+\s+|whsec_)/, "")].flatMap(writingsOf)

/** How many characters the two have in common at their beginnings. */
const commonLength = (one: string, other: string): number => {
  let length = 0
  while (length < one.length && length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

/** How many characters the text has in common with one of these sorted values: the best match is next to the text in their order. */
const lengthIn = (text: string, values: ReadonlyArray<string>): number => {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] ?? "") < text) low = middle + 1
    else high = middle
  }
  return Math.max(commonLength(text, values[low - 1] ?? ""), commonLength(text, values[low] ?? ""))
}

/**
 * Makes the function that replaces these secrets in a text, in time in proportion to the text. Of a long secret that the text cuts off, it
 * replaces as much as is there.
 */
export const replaceKnown = (secrets: Iterable<string>): ((text: string) => string) => {
  const values = [...secrets].flatMap(formsOf).filter((value) => value.length >= LENGTH_MIN)
  if (values.length === 0) return (text) => text
  const byHead = Map.groupBy([...new Set(values)].sort(), (value) => value.slice(0, HEAD_LENGTH))
  const lengthMax = Math.max(...values.map(({ length }) => length))
  // The longest first: one may begin with another.
  const heads = [...byHead.keys()].sort((one, two) => two.length - one.length)
  const pattern = new RegExp(heads.map((head) => head.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g")
  return (text) => {
    let redacted = ""
    let end = 0
    pattern.lastIndex = 0
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      redacted += `${text.slice(end, found.index)}[redacted: secret]`
      const candidate = text.slice(found.index, found.index + lengthMax)
      end = found.index + lengthIn(candidate, byHead.get(found[0]) ?? [])
      pattern.lastIndex = end
    }
    return redacted + text.slice(end)
  }
}
