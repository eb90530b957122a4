/** How names cross the wire: camelCase in code, snake_case outside, stated here once. */
import { Schema, SchemaTransformation } from "effect"

/** `workspaceId` as it is called on the wire, `workspace_id`: an underscore goes before each capital. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? Rest extends Uncapitalize<Rest>
    ? `${Lowercase<First>}${SnakeCase<Rest>}`
    : `${Lowercase<First>}_${SnakeCase<Rest>}`
  : Name

type SnakeFields<Fields extends Schema.Struct.Fields> = {
  readonly [Name in keyof Fields as Name extends string ? SnakeCase<Name> : never]: Fields[Name]
}

type TypeFields<Fields extends Schema.Struct.Fields> = { readonly [Name in keyof Fields]: Schema.toType<Fields[Name]> }

/** A struct whose members are camelCase in code and snake_case on the wire. */
export interface Wire<Fields extends Schema.Struct.Fields>
  extends Schema.decodeTo<Schema.Struct<TypeFields<Fields>>, Schema.Struct<SnakeFields<Fields>>> {}

/** `workspaceId` as it is called on the wire. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

interface WireOptions<Fields extends Schema.Struct.Fields> {
  /** The name of the component in OpenAPI. */
  readonly identifier?: string
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
  /** A rule over several members. It names the member at fault by its wire name. */
  readonly check?: (
    body: Schema.Struct.Type<SnakeFields<Fields>>
  ) => { readonly path: ReadonlyArray<string>; readonly issue: string } | undefined
}

/** Renames the members of a body, all of which are in `names`. With `Struct.renameKeys` a run takes a third longer to encode. */
const renaming = (names: Readonly<Record<string, string>>) => {
  const pairs = Object.entries(names)
  return (body: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const renamed: Record<string, unknown> = {}
    for (const [from, to] of pairs) if (Object.hasOwn(body, from)) renamed[to] = body[from]
    return renamed
  }
}

/**
 * A struct over the wire. Every rule of its members is checked before anything is renamed, so that one reading
 * reports all of a body's faults, each under its wire name. A value is written with these members alone, whatever it has beside
 * them: an answer can be made of an entity that keeps secrets, too.
 */
export const wire = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  options: WireOptions<Fields> = {}
): Wire<Fields> => {
  const names = Object.fromEntries(Object.keys(fields).map((name) => [name, snakeCase(name)]))
  const originals = Object.fromEntries(Object.entries(names).map(([name, snake]) => [snake, name]))
  const outer = Schema.Struct(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [snakeCase(name), field]))
  )
  const { check, ...annotations } = options
  const annotated = outer.annotate(annotations as Parameters<typeof outer.annotate>[0])
  const checked =
    check === undefined
      ? annotated
      : // A check hides the name before it, without which the body is no component of the document.
        annotated.check(Schema.makeFilter((body) => check(body as never))).annotate({ identifier: options.identifier })
  const inner = Schema.Struct(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Schema.toType(field)]))
  )
  const renamed = checked.pipe(
    Schema.decodeTo(
      inner,
      SchemaTransformation.transform({
        decode: renaming(originals),
        encode: renaming(names)
      }) as never
    )
  )
  const described = options.description === undefined ? renamed : renamed.annotate({ description: options.description })
  return described as unknown as Wire<Fields>
}
