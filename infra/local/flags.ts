/** Flags of what npm runs for developers, as in `npm run test:worst -- --sample`. */
import { parseArgs } from "node:util"

/** EX_USAGE of sysexits.h. */
const EXIT_USAGE = 64

/** One flag: with a number, with a text, or a switch. */
export type Flag =
  | { readonly value: "N"; readonly default?: number; readonly says: string }
  | { readonly value: "TEXT"; readonly default?: string; readonly says: string }
  | { readonly value?: never; readonly says: string }

type Flags = Readonly<Record<string, Flag>>

type Given<F extends Flag> = F extends { readonly value: "N" }
  ? number
  : F extends { readonly value: "TEXT" }
    ? string
    : boolean

/** The parsed values of flags. One that has a value and no default may be missing. */
export type Values<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends { readonly value: string } & { readonly default?: never }
    ? Given<F[Name]> | undefined
    : Given<F[Name]>
}

const HELP = { help: { says: "Print this" } } as const

const usageOf = (command: string, does: string, flags: Flags): string => {
  const rows = Object.entries({ ...flags, ...HELP } as Flags).map(([name, flag]) => ({
    form: flag.value === undefined ? `--${name}` : `--${name} ${flag.value}`,
    says:
      flag.value === undefined || flag.default === undefined ? flag.says : `${flag.says}; ${flag.default} without it`
  }))
  const width = Math.max(...rows.map(({ form }) => form.length))
  return [`${command} [-- FLAGS]`, does, ...rows.map(({ form, says }) => `  ${form.padEnd(width)}  ${says}`)].join("\n")
}

const given = (name: string, flag: Flag, text: string | boolean | undefined) => {
  if (flag.value === undefined) return text === true
  if (text === undefined) return flag.default
  if (flag.value === "TEXT") return text
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(String(text))) throw new Error(`--${name} takes a number`)
  return Number(text)
}

const valuesOf = (args: ReadonlyArray<string>, flags: Flags) => {
  const all = Object.entries({ ...flags, ...HELP } as Flags)
  const { values } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      all.map(([name, { value }]) => [name, { type: value === undefined ? ("boolean" as const) : ("string" as const) }])
    )
  })
  return Object.fromEntries(all.map(([name, flag]) => [name, given(name, flag, values[name] as string | boolean)]))
}

/**
 * The flags of this process. `--help` prints the command's purpose and ends the process with 0; an unknown flag is reported on
 * standard error, and ends it with 64.
 */
export const readFlags = <const F extends Flags>(command: string, does: string, flags: F): Values<F> => {
  const usage = usageOf(command, does, flags)
  try {
    const values = valuesOf(process.argv.slice(2), flags)
    if (values["help"] !== true) return values as Values<F>
    process.stdout.write(`${usage}\n`)
    return process.exit(0)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}\n`)
    return process.exit(EXIT_USAGE)
  }
}
