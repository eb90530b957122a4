/** Reads the media type of a `Content-Type`. RFC 9110, 8.3. */

const CHARSET = "charset="

/** Names of UTF-8, the only charset in which JSON and forms are accepted. */
const UTF_8 = new Set(["utf-8", "utf8"])

/** The media type, in lower case and without parameters; undefined when a parameter names another charset than UTF-8. */
export const utf8MediaType = (contentType: string | undefined): string | undefined => {
  const [type = "", ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase())
  const charsets = parameters.filter((parameter) => parameter.startsWith(CHARSET))
  return charsets.every((charset) => UTF_8.has(charset.slice(CHARSET.length).replaceAll('"', ""))) ? type : undefined
}
