import { crc32 } from "node:zlib"

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A key's value out of its prefix and its random part: what is missing is the checksum. */
export const checksummed = (body: string): string => {
  let rest = crc32(body)
  let text = ""
  for (let index = 0; index < 6; index++) {
    text = DIGITS.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return body + text
}
