/** Tables that can be installed without those of another domain. All of them need the shared ones. */
export type Domain = "shared" | "keys" | "runs" | "billing" | "webhooks" | "feeds"

/** One step of a domain's schema: its statements in order, in the schema of this quoted name. They run in one transaction. */
export interface Step {
  readonly name: string
  readonly statements: (schema: string) => ReadonlyArray<string>
}
