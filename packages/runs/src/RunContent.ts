/** The content that a caller sends beside a message: texts, images and files. */

/** Most parts of one message, and most characters of base64 of all of them together: 4 MiB. */
export const CONTENT_PARTS_MAX = 20
export const CONTENT_BASE64_LENGTH_MAX = 4 * 1024 * 1024

/** The types of images and of files that models are shown. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const
export const FILE_TYPES = ["application/pdf", "text/plain", "text/markdown", "text/csv"] as const

/** Where an image or a file is: here, as base64, or at an HTTPS address. */
export type ContentSource =
  | { readonly type: "data"; readonly data: string }
  | { readonly type: "url"; readonly url: string }

/** A part of what is sent. It is JSON. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image"
      /** Null for an image at an address: its type comes with it. */
      readonly mediaType: (typeof IMAGE_TYPES)[number] | null
      readonly source: ContentSource
    }
  | {
      readonly type: "file"
      readonly mediaType: (typeof FILE_TYPES)[number]
      readonly filename: string | null
      readonly source: ContentSource
    }
