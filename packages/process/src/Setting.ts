/** Settings: environment variables with a meaning, read once when a process starts. */
import { Config, Data, Effect, Option, Record } from "effect"

/** A variable is missing or has a value that it cannot have. The value itself is never repeated: it may be a secret. */
export class SettingInvalid extends Data.TaggedError("SettingInvalid")<{
  readonly variable: string
  readonly detail: string
}> {
  override get message() {
    return `${this.variable} ${this.detail}`
  }
}

/** Why a value cannot be taken, where `expects` says too little; never repeats it. */
export class Refusal {
  /** Ends a sentence that begins with the name of the variable. */
  readonly detail: string
  constructor(detail: string) {
    this.detail = detail
  }
}

/** One environment variable. */
export interface Setting<A> {
  readonly variable: string
  /** One sentence for the documentation about what it decides. */
  readonly decides: string
  /** The form of a value, to end the sentence "X is not …". */
  readonly expects: string
  /** The value when the variable is absent, as the documentation shows it; undefined when it must be there. */
  readonly fallback: string | undefined
  /** The value in a text; undefined where it is not what `expects` says. */
  readonly parse: (text: string) => A | Refusal | undefined
}

/** Declares a setting. */
export const setting = <A>(definition: Setting<A>): Setting<A> => definition

/** Declares a setting that may also be a word such as `off`, which stands for the value `instead` and is the fallback. */
export const settingOr = <A, B>(
  word: string,
  instead: B,
  { expects, parse, ...definition }: Omit<Setting<A>, "fallback">
): Setting<A | B> => ({
  ...definition,
  expects: `${expects}, or ${word}`,
  fallback: word,
  parse: (text) => (text === word ? instead : parse(text))
})

/** The setting's value in this process. An empty variable counts as absent. */
export const read = <A>(definition: Setting<A>): Effect.Effect<A, SettingInvalid> =>
  Effect.gen(function* () {
    const { expects, fallback, parse, variable } = definition
    const given = Option.getOrUndefined(yield* Effect.orDie(Config.option(Config.String(variable))))
    const text = given === undefined || given === "" ? fallback : given
    if (text === undefined) {
      return yield* new SettingInvalid({ variable, detail: `is missing: it must be ${expects}` })
    }
    const value = parse(text)
    if (value === undefined) return yield* new SettingInvalid({ variable, detail: `is not ${expects}` })
    if (value instanceof Refusal) return yield* new SettingInvalid({ variable, detail: value.detail })
    return value
  })

/** Settings by their names in the code, some of them in groups. */
export interface SettingGroup {
  readonly [name: string]: Setting<unknown> | SettingGroup
}

type ValuesOf<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Setting<infer A> ? A : ValuesOf<Group[Name]>
}

const isSetting = (one: Setting<unknown> | SettingGroup): one is Setting<unknown> => typeof one.variable === "string"

/**
 * The values of a group in this process, under the same names; fails with SettingInvalid, which names the variable. The casts are
 * for TypeScript, which cannot follow how names keep their types.
 */
export const readAll = <const Group extends SettingGroup>(
  group: Group
): Effect.Effect<ValuesOf<Group>, SettingInvalid> =>
  Effect.all(
    Record.map(
      group as SettingGroup,
      (one): Effect.Effect<unknown, SettingInvalid> => (isSetting(one) ? read(one) : readAll(one))
    )
  ) as Effect.Effect<ValuesOf<Group>, SettingInvalid>

/** Every setting of a group, for the documentation. */
export const settingsIn = (group: SettingGroup): ReadonlyArray<Setting<unknown>> =>
  Object.values(group).flatMap((one) => (isSetting(one) ? [one] : settingsIn(one)))

/** `true` or `false`, also written `1` or `0`. */
export const parseBoolean = (text: string): boolean | undefined =>
  ({ true: true, "1": true, false: false, "0": false })[text.toLowerCase()]

/** A whole number within bounds. */
export const parseInteger =
  (minimum: number, maximum: number) =>
  (text: string): number | undefined => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= minimum && value <= maximum ? value : undefined
  }

/** Declares a setting that is a whole number within bounds, as in `[1, 65_535]`. */
export const wholeSetting = (
  variable: string,
  decides: string,
  [minimum, maximum]: readonly [number, number],
  fallback: number
): Setting<number> => ({
  variable,
  decides,
  expects: `a whole number from ${minimum} to ${maximum}`,
  fallback: String(fallback),
  parse: parseInteger(minimum, maximum)
})
