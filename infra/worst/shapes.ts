/** Values for a place: raw JSON text of any length, in each of the ways in which senders make things large. */
import { alternativesOf, type Kind, type Place, propertiesOf, type Schema } from "./contractWalk.ts"
import { type Known, soundOf } from "./documents.ts"

/** A way to fill a place. `text` makes about so many bytes of raw JSON. */
export interface Shape {
  readonly name: string
  readonly text: (bytes: number) => string
}

/** How deep values are nested. With the document around them they stay below the kernel's `NESTING_MAX`, above which they are refused. */
export const NESTING = 90

/** The opening and closing text around as many parts as make so many bytes. */
const filled = (
  open: string,
  close: string,
  bytes: number,
  part: (index: number) => string,
  separator = ","
): string => {
  const parts: Array<string> = []
  let length = open.length + close.length
  for (let index = 0; length < bytes || index === 0; index++) {
    const next = part(index)
    parts.push(next)
    length += next.length + separator.length
  }
  return `${open}${parts.join(separator)}${close}`
}

const repeated = (piece: string, bytes: number): string =>
  piece.repeat(Math.max(1, Math.floor((bytes - 2) / piece.length)))

const quoted = (piece: string) => (bytes: number) => `"${repeated(piece, bytes)}"`

const chain = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)

const TEXTS: ReadonlyArray<Shape> = [
  { name: "letters", text: quoted("a") },
  { name: "blanks", text: (bytes) => `"x${repeated(" ", bytes)}x"` },
  { name: "line breaks", text: quoted("\\n") },
  { name: "punctuation", text: quoted("/a.b-c:d@e,f;g=h&i%20{j}[k]~`*_<l>'") },
  { name: "characters that are escaped", text: quoted('\\u0000\\"\\\\\\ud83d\\ude00') }
]

const LISTS: ReadonlyArray<Shape> = [
  { name: "a list of numbers", text: (bytes) => filled("[", "]", bytes, String) },
  { name: "a list of objects", text: (bytes) => filled("[", "]", bytes, () => '{"a":1}') },
  { name: "a list of objects whose names have escapes", text: (bytes) => filled("[", "]", bytes, () => '{"\\n":1}') }
]

const names = (bytes: number, value: string) => filled("{", "}", bytes, (index) => `"n${index}":${value}`)

const OBJECTS: ReadonlyArray<Shape> = [
  { name: "names", text: (bytes) => names(bytes, '"v"') },
  { name: "one name again and again", text: (bytes) => filled("{", "}", bytes, () => '"name":"v"') },
  { name: "names of another type", text: (bytes) => names(bytes, "[1]") },
  { name: "one long name", text: (bytes) => `{"${repeated("n", bytes)}":"v"}` },
  { name: "names that are escaped", text: (bytes) => filled("{", "}", bytes, (index) => `"~/n${index}/~":"v"`) },
  { name: "names with escapes", text: (bytes) => filled("{", "}", bytes, (index) => `"\\n${index}":"v"`) }
]

const NESTED: ReadonlyArray<Shape> = [
  { name: "nested lists", text: (bytes) => filled("[", "]", bytes, () => chain(NESTING)) },
  {
    name: "nested objects",
    text: (bytes) => filled("[", "]", bytes, () => `${'{"a":'.repeat(NESTING)}1${"}".repeat(NESTING)}`)
  },
  { name: "nested too deep", text: (bytes) => chain(Math.floor(bytes / 2)) }
]

/** Elements or members that the schema admits, unlike each other if possible. */
const soundElement = (schema: Schema, known: Known, name: string): ((index: number) => string) => {
  const made = known[name]
  if (typeof made === "function") return (index) => JSON.stringify(made(index))
  const [element = {}] = alternativesOf(schema)
  const words = element["enum"]
  if (Array.isArray(words)) return (index) => JSON.stringify(words[index % words.length])
  const sound = JSON.stringify(soundOf(element, known, name))
  if (element["type"] === "string") return (index) => JSON.stringify(`t${index}`)
  return (index) => sound.replace('"name":"', `"name":"n${index}`)
}

const listShapes = (schema: Schema, known: Known, name: string): ReadonlyArray<Shape> => {
  const items = (schema["items"] ?? {}) as Schema
  const element = soundElement(items, known, name)
  return [
    { name: "elements", text: (bytes) => filled("[", "]", bytes, element) },
    { name: "one element again and again", text: (bytes) => filled("[", "]", bytes, () => element(0)) },
    { name: "elements of another type", text: (bytes) => filled("[", "]", bytes, (index) => `[${index}]`) },
    NESTED[0]!
  ]
}

const objectShapes = (schema: Schema, known: Known): ReadonlyArray<Shape> => {
  const sound = JSON.stringify(soundOf(schema, known)).slice(0, -1)
  const open = sound === "{" ? "{" : `${sound},`
  const [first = "name"] = propertiesOf(schema).map(([name]) => name)
  return [
    { name: "unknown members", text: (bytes) => filled(open, "}", bytes, (index) => `"n${index}":1`) },
    {
      name: "one member again and again",
      text: (bytes) => filled(open, "}", bytes, () => `${JSON.stringify(first)}:1`)
    }
  ]
}

const continued = (place: Place, known: Known, name: string): Shape => {
  const sound = JSON.stringify(soundOf(place.schema, known, name)).slice(0, -1)
  return { name: "a sound beginning", text: (bytes) => `${sound}${repeated("a", Math.max(3, bytes - sound.length))}"` }
}

/** Every way to fill a place of a document. */
export const shapesOf = (place: Place, known: Known): ReadonlyArray<Shape> => {
  const name = String(place.path.findLast((step) => step !== 0) ?? "")
  // Behind the shapes that fit a kind of place stand some of another type: a text, a list, an object.
  const shapes: Readonly<Record<Kind, () => ReadonlyArray<Shape>>> = {
    text: () => [...TEXTS, continued(place, known, name), LISTS[0]!, OBJECTS[0]!],
    scalar: () => [TEXTS[0]!, { name: "digits", text: (bytes) => repeated("7", bytes) }, LISTS[0]!, OBJECTS[0]!],
    list: () => [...listShapes(place.schema, known, name), OBJECTS[0]!, TEXTS[0]!],
    map: () => [...OBJECTS, LISTS[0]!],
    object: () => [...objectShapes(place.schema, known), LISTS[1]!, TEXTS[0]!],
    anything: () => [...TEXTS, ...LISTS, ...OBJECTS, ...NESTED]
  }
  return shapes[place.kind]()
}

/** Bodies that are no document. */
export const BROKEN_BODIES: ReadonlyArray<Shape> = [
  { name: "blanks", text: (bytes) => repeated(" ", bytes) },
  { name: "no JSON", text: (bytes) => repeated("a", bytes) },
  { name: "brackets that are not closed", text: (bytes) => repeated("[", bytes) },
  { name: "an open text of escapes", text: (bytes) => `"${repeated("\\\\", bytes)}` }
]

/** Bodies of a form. */
export const FORMS: ReadonlyArray<Shape> = [
  { name: "names", text: (bytes) => filled("", "", bytes, (index) => `n${index}=v`, "&") },
  { name: "one name again and again", text: (bytes) => filled("", "", bytes, (index) => `n=${index}`, "&") },
  { name: "one long value", text: (bytes) => `n=${repeated("a", bytes)}` },
  { name: "characters that are escaped", text: (bytes) => `n=${repeated("%F0%9F%98%80+", bytes)}` },
  { name: "separators alone", text: (bytes) => repeated("&", bytes) },
  { name: "a payload of JSON", text: (bytes) => `payload=${encodeURIComponent(names(bytes / 2, '"v"'))}` }
]
