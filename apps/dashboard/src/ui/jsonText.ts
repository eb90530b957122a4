/** JSON of this length is indented: of what strangers nest deep, each line would begin with hundreds of spaces. */
const INDENTED_MAX = 12_000

/** Characters that are not seen, and those that turn around the order of others: an amount would read as another one. */
const UNSEEN = /[\u0080-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** The JSON of a value, indented where that is of use to people. Everything in it is seen, as an escape if need be. */
export const jsonText = (value: unknown): string => {
  const whole = JSON.stringify(value) ?? ""
  const text = whole.length > INDENTED_MAX ? whole : (JSON.stringify(value, null, 2) ?? "")
  return text.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
