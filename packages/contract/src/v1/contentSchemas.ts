/** The content beside a message as it crosses the wire: texts, images and files. */
import { CONTENT_BASE64_LENGTH_MAX, CONTENT_PARTS_MAX, FILE_TYPES, IMAGE_TYPES } from "@agent-platform/runs"
import { Schema } from "effect"
import { bounded, documentedAs } from "./formats.ts"
import { wire } from "./wire.ts"

/** The longest text of a part, in characters. */
const TEXT_LENGTH_MAX = 100_000

const URL_LENGTH_MAX = 2_048

const isHttps = (text: string): boolean => URL.canParse(text) && new URL(text).protocol === "https:"

// An empty address is a fault of its length alone.
const url = bounded("Its HTTPS address, which its provider reads, or the platform for it", 1, URL_LENGTH_MAX).check(
  Schema.makeFilter((text: string) => text === "" || isHttps(text), { message: "must be an HTTPS address" })
)

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

const data = Schema.String.annotate({ description: "It itself, as base64; 4 MiB in all parts together" }).check(
  Schema.isBetweenLength(4, CONTENT_BASE64_LENGTH_MAX, {
    message: `must have 4 to ${CONTENT_BASE64_LENGTH_MAX} characters`,
    toJsonSchema: documentedAs({ minLength: 4, maxLength: CONTENT_BASE64_LENGTH_MAX })
  }),
  Schema.makeFilter(isBase64, { message: "must be base64 with its padding" })
)

interface Sourced {
  readonly url?: string
  readonly data?: string
  readonly media_type?: string
}

const oneSource = ({ data, url }: Sourced) =>
  (data === undefined) === (url === undefined) ? { path: ["data"], issue: "must be there, or else url" } : undefined

const knownType = (body: Sourced) =>
  body.data !== undefined && body.media_type === undefined
    ? { path: ["media_type"], issue: "must be there beside data" }
    : undefined

const type = <Type extends string>(name: Type) => Schema.Literal(name).annotate({ description: "The kind of part" })

/** A part of what is sent beside a message. */
const contentPart = Schema.Union([
  wire(
    { type: type("text"), text: bounded("The text", 1, TEXT_LENGTH_MAX) },
    { identifier: "NewTextPart", description: "A text" }
  ),
  wire(
    {
      type: type("image"),
      url: Schema.optionalKey(url),
      data: Schema.optionalKey(data),
      mediaType: Schema.optionalKey(
        Schema.Literals(IMAGE_TYPES).annotate({ description: "Its type; needed beside `data`" })
      )
    },
    {
      identifier: "NewImagePart",
      description: "An image, at an address or as base64",
      examples: [{ type: "image", url: "https://example.com/receipt.png" }],
      check: (body) => oneSource(body) ?? knownType(body)
    }
  ),
  wire(
    {
      type: type("file"),
      url: Schema.optionalKey(url),
      data: Schema.optionalKey(data),
      mediaType: Schema.Literals(FILE_TYPES).annotate({ description: "Its type" }),
      filename: Schema.optionalKey(bounded("Its name, for the model", 1, 200))
    },
    {
      identifier: "NewFilePart",
      description: "A document, at an address or as base64",
      examples: [{ type: "file", url: "https://example.com/contract.pdf", media_type: "application/pdf" }],
      check: oneSource
    }
  )
])

const base64LengthOf = (parts: ReadonlyArray<object>): number =>
  parts.reduce((sum, part) => sum + ("data" in part && typeof part.data === "string" ? part.data.length : 0), 0)

/** Texts, images and files beside a message. */
export const content = Schema.Array(contentPart)
  .annotate({ description: "Texts, images and files that are sent with the message, for the recipe chat; up to 20" })
  .check(
    Schema.isMaxLength(CONTENT_PARTS_MAX, { message: `must have at most ${CONTENT_PARTS_MAX} parts` }),
    Schema.makeFilter((parts) => base64LengthOf(parts) <= CONTENT_BASE64_LENGTH_MAX, {
      message: `must have at most ${CONTENT_BASE64_LENGTH_MAX} characters of base64 in all`
    })
  )
