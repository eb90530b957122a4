// The suites say what a port has to hold, down to what others see meanwhile. Take the lock out of sqlite.js, and they fail.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventLogContract, unitOfWorkContract } from "@agent-platform/kernel/testing"
import { afterAll } from "vitest"
import { layer } from "./sqlite.js"

const folders = []

const fresh = () => {
  const folder = mkdtempSync(join(tmpdir(), "sqlite-port-"))
  folders.push(folder)
  return layer(join(folder, "events.db"))
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

unitOfWorkContract("node:sqlite", fresh())
eventLogContract("node:sqlite", fresh())
