/** Recipes of an operator's own, in a file that a setting names. */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Recipe } from "@agent-platform/runs"
import { Effect, Predicate } from "effect"
import { SettingInvalid } from "./Setting.ts"
import { recipes as setting } from "./settings.ts"

/** Most recipes of a file. */
const RECIPES_MAX = 100

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/

/** The first line of an error: some print the code around the place below. */
const lineOf = (error: unknown): string => (String(error).split("\n")[0] ?? "").trim()

/** The fault of an element of the list, as the end of a sentence; undefined where it has none. */
const flawIn = (given: unknown): string | undefined => {
  if (!Predicate.isObject(given)) return "is no object with name and execute"
  const { execute, flawOf, name } = given as Readonly<Record<string, unknown>>
  if (typeof name !== "string" || !NAME.test(name)) {
    return "has no name of 1 to 64 letters, digits, _, ., : and - that begins with a letter or a digit"
  }
  if (typeof execute !== "function") return `is called '${name}' and has no function execute`
  return flawOf === undefined || typeof flawOf === "function"
    ? undefined
    : `is called '${name}', and its flawOf is no function`
}

/** The recipes of a module's default export, or its fault, as the end of a sentence that begins with the file. */
const recipesIn = (module: unknown, taken: ReadonlySet<string>): ReadonlyArray<Recipe> | string => {
  const exported = Predicate.hasProperty(module, "default") ? module.default : undefined
  if (exported === undefined) return "has no default export: it must be a recipe, or a list of recipes"
  const list: ReadonlyArray<unknown> = Array.isArray(exported) ? exported : [exported]
  if (list.length === 0 || list.length > RECIPES_MAX) return `must export from 1 to ${RECIPES_MAX} recipes by default`
  const names = new Set<string>()
  for (const [place, given] of list.entries()) {
    const flaw = flawIn(given)
    if (flaw !== undefined) return `exports a recipe by default that ${flaw} (number ${place + 1})`
    const { name } = given as Recipe
    if (taken.has(name)) return `exports the recipe '${name}', which is the name of one of the platform's own`
    if (names.has(name)) return `exports two recipes that are called '${name}'`
    names.add(name)
  }
  return list as ReadonlyArray<Recipe>
}

/**
 * The recipes of the file at `path`, which is looked for from the folder in which the process was started; none without a path. None
 * of them has a name that is `taken`. Fails with SettingInvalid, which names the file and what is wrong with it.
 */
export const loadRecipes = Effect.fnUntraced(function* (path: string | null, taken: ReadonlyArray<string>) {
  if (path === null) return []
  const invalid = (detail: string) => new SettingInvalid({ variable: setting.variable, detail })
  const module = yield* Effect.tryPromise({
    try: (): Promise<unknown> => import(pathToFileURL(resolve(path)).href),
    catch: (error) => invalid(`cannot be used: ${path} cannot be imported: ${lineOf(error)}`)
  })
  const recipes = recipesIn(module, new Set(taken))
  return typeof recipes === "string" ? yield* invalid(`cannot be used: ${path} ${recipes}`) : recipes
})
