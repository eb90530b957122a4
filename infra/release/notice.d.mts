/** A package in a CycloneDX document. */
export interface Component {
  readonly version: string
  readonly purl: string
  readonly licenses: ReadonlyArray<{
    readonly expression?: string
    readonly license?: { readonly id?: string; readonly name?: string }
  }>
}

/** See notice.mjs. */
export const noticeOf: (
  sbom: { readonly components: ReadonlyArray<Component> },
  folderOf: (component: Component) => string
) => string
