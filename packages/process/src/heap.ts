/** How a process of the platform keeps its memory. */
import { createHook } from "node:async_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/**
 * Has V8 make every object among the young ones, whatever became of others that were made at the same place in the code. For
 * processes whose objects all live for milliseconds or for good; called before an app is built.
 *
 * While it is, contexts, layers and closures are made that live for good. Their places in the code are judged by that, and
 * what is made at some of them later, for a request or a delivery, lies among the old objects from there on: as garbage it
 * keeps everything that it refers to alive until all of memory is looked through. Most of what requests had made was copied
 * there for that, and pauses of 0.3 ms took 15 to 20.
 */
export const keepNewObjectsYoung = (): void => setFlagsFromString("--no-allocation-site-pretenuring")

/** One tick, which stands for the form of all. */
const ticksKept: Array<object> = []

/**
 * Keeps one of the objects that `process.nextTick` makes, and with it the form that V8 has for them. Node makes them by a literal
 * with computed keys, and where V8 finds another form than the last time in such a place it never makes that one fast again:
 * 0.9 µs a tick instead of 0.15, of which each request, each answer and each delivery has some. The form is another one once none
 * of them was there while all of memory was looked through.
 */
export const keepTicksFast = (): void => {
  const callbacks = {
    init: (_id: number, type: string, _trigger: number, resource: object) => {
      if (type === "TickObject") ticksKept.push(resource)
    },
    // Hooks of promises, once there were any, slow promises down for good.
    trackPromises: false
  }
  const hook = createHook(callbacks).enable()
  process.nextTick(() => {})
  hook.disable()
}

type Collect = (options: Readonly<Record<"type" | "flavor", string>>) => void

/**
 * Collects all garbage of what an app needed to be loaded and built, and gives its memory back; takes some 0.1 s. Does nothing
 * where the runtime does not let go of its collector.
 */
export const giveBackMemory = (): void => {
  setFlagsFromString("--expose-gc")
  const collect: Collect | undefined = runInNewContext("globalThis.gc")
  collect?.({ type: "major", flavor: "last-resort" })
}
