/** Every place in the body of every operation, filled in every way. */
import { type Case, chosen, type Scale, sizesBelow } from "./cases.ts"
import { nameOfPlace, type Operation, operations, type Place, placesOf, usesUp } from "./contractWalk.ts"
import { documentWith, type Known } from "./documents.ts"
import type { Platform } from "./platform.ts"
import { type Answered, jsonOf } from "./send.ts"
import { BROKEN_BODIES, FORMS, type Shape, shapesOf } from "./shapes.ts"
import { knownTo, makeTester, pathFor, type StrangerUrls, type Tester } from "./tester.ts"

/** The largest body that any operation takes. */
const BODY_BYTES_MAX = 1024 * 1024

/** Left free below a size, since a shape may come out a little longer than it is asked to be. */
const SPARE_BYTES = 64

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"

/** Members of a body that have the answer come when everything is done. */
const WAITING: Readonly<Record<string, object>> = { "POST /api/v1/runs/": { wait_seconds: 60 } }

const OPEN = new Set(["queued", "running"])

/** Waits until the run that an answer has triggered is over: what the worker makes of an input is part of its cost. */
const runOver = async ({ ask }: Tester, answered: Answered): Promise<void> => {
  const { run_id, status } = jsonOf(answered)
  if (answered.status >= 300 || typeof run_id !== "string" || (status !== undefined && !OPEN.has(String(status))))
    return
  await ask("GET", `/api/v1/runs/${run_id}?wait_seconds=60`)
}

/** Fixtures that are made once for all sizes and shapes of a place. */
const stage = async (platform: Platform, urls: StrangerUrls, operation: Operation, { known }: Scale) => {
  const tester = await makeTester(platform)
  return { tester, known: { ...(await knownTo(tester, urls)), ...known }, path: await pathFor(tester, urls, operation) }
}

/** How the operations of a platform are asked with bodies. */
export const bodyCases = (platform: Platform, urls: StrangerUrls, scale: Scale): ReadonlyArray<Case> => {
  const sizes = sizesBelow(BODY_BYTES_MAX, scale)
  let turn = 0
  let placesSeen = 0

  const casesOf = (
    operation: Operation,
    member: string,
    contentType: string,
    shapes: ReadonlyArray<Shape>,
    bodyOf: (known: Known, raw: string) => string
  ): ReadonlyArray<Case> => {
    let staged: ReturnType<typeof stage> | undefined
    return chosen(shapes, scale, turn++).map((shape) => ({
      endpoint: operation.name,
      member: `${member}: ${shape.name}`,
      sizes,
      prepare: async (size) => {
        if (usesUp(operation)) staged = undefined
        staged ??= stage(platform, urls, operation, scale)
        const { known, path, tester } = await staged
        const around = Buffer.byteLength(bodyOf(known, ""))
        // Cut where it came out longer all the same: above the limit it would be refused unread.
        const body = bodyOf(known, shape.text(Math.max(2, size - around - SPARE_BYTES))).slice(0, size)
        const headers = { ...tester.headersFor(operation), "content-type": contentType }
        return async (millisMax) => {
          const answered = await platform.ask({ method: operation.method, path, headers, body }, millisMax)
          await runOver(tester, answered)
          return String(answered.status)
        }
      }
    }))
  }

  const casesAt = (operation: Operation, place: Place): ReadonlyArray<Case> => {
    const schema = operation.body?.schema ?? {}
    const build = (known: Known, raw: string) => documentWith(schema, place, known, WAITING[operation.name])(raw)
    // The shapes are made before anything is known of the operation: their values are sound by their form alone.
    return casesOf(operation, nameOfPlace(place), JSON_TYPE, shapesOf(place, SOUND), build)
  }

  return operations.flatMap((operation) => {
    if (operation.body === undefined) return []
    const { placesPerCase, seed } = scale
    // One place in so many, counted over all operations.
    const places = placesOf(operation.body.schema).filter(() => placesSeen++ % placesPerCase === seed % placesPerCase)
    const plain = (_: Known, raw: string) => raw
    return [
      ...places.flatMap((place) => casesAt(operation, place)),
      ...casesOf(operation, "the body", JSON_TYPE, BROKEN_BODIES, plain),
      ...(operation.bodyTypes.includes(FORM_TYPE) ? casesOf(operation, "the form", FORM_TYPE, FORMS, plain) : [])
    ]
  })
}

/** Values that are sound by their form, for shapes: nothing that they name exists. */
const SOUND: Known = {
  url: "https://93.184.215.14/tools",
  email: (index: number) => `somebody${index}@example.com`,
  allowed_ips: (index: number) => `10.${(index >> 8) & 255}.${index & 255}.0/24`,
  ids: (index: number) => `0199f2a4-6b1e-7c55-9a31-${index.toString(16).padStart(12, "0")}`
}
