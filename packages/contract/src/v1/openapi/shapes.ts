/** As much of an OpenAPI document as is completed here. */

export type Json = Record<string, unknown>

export interface Response {
  description: string
  content?: Record<string, { schema: Json }>
  headers?: Record<string, unknown>
  links?: Json
}

export interface Parameter {
  name?: string
  in?: string
  schema?: Json
  description?: string
  $ref?: string
}

export interface Operation {
  operationId: string
  description?: string
  requestBody?: Json
  security: ReadonlyArray<object>
  parameters: Array<Parameter>
  responses: Record<string, Response>
}

export interface Document {
  info: Json
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; parameters?: Json; headers?: Json }
}

/** A reference to a component, such as `schemas/Run`. */
export const ref = (path: string) => ({ $ref: `#/components/${path}` })

/** `run.succeeded` as part of a name: `RunSucceeded`. */
export const pascal = (type: string): string =>
  type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The text with one more sentence. */
export const withSentence = (text: string | undefined, sentence: string): string =>
  text === undefined || text === "" ? sentence : `${text.replace(/\.?$/, ".")} ${sentence}`
