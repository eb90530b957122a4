/** How `npm start` has an app prepare the database before any begins: the question, and the answer by messages. */
import type { Identity } from "./credentials.ts"

/** The request to the app that prepares the database. */
export interface PrepareOptions {
  readonly databaseUrl: string
  /** The same database by the role that owns its tables. */
  readonly databaseOwnerUrl: string
  readonly secretsKey: string
  /** The identity of an earlier start to keep; null to make all of it anew. */
  readonly known: Identity | null
}

/** Brings the database to the present schema and makes, or finds again, what the credentials file names. */
export type Prepare = (options: PrepareOptions) => Promise<Identity>

/**
 * Lets an app answer, once, when `npm start` asks it to prepare the database. For a module that the app loads before its
 * go: that process has all the code already, and the starter stays small.
 */
export const answerPrepare = (prepare: Prepare): void => {
  const onMessage = async (message: { readonly prepare?: PrepareOptions }) => {
    if (message.prepare === undefined) return
    process.off("message", onMessage)
    try {
      process.send?.({ answer: await prepare(message.prepare) })
    } catch (error) {
      process.send?.({ failure: error instanceof Error ? error.message : String(error) })
    }
  }
  process.on("message", onMessage)
}
