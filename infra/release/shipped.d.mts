export interface Component {
  readonly "bom-ref": string
  readonly purl: string
  readonly version: string
}

export interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}

/** See shipped.mjs. */
export function shippedOf<Document extends object>(sbom: Document, lock: Lock): Document
