/** JSON of this length is indented: of what strangers nest deep, each line would begin with hundreds of spaces. */
const INDENTED_MAX = 12_000

/** The JSON of a value, indented where that is of use to people. */
export const jsonText = (value: unknown): string => {
  const whole = JSON.stringify(value) ?? ""
  return whole.length > INDENTED_MAX ? whole : (JSON.stringify(value, null, 2) ?? "")
}
