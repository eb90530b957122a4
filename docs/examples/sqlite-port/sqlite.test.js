// The suites say what a port has to hold, down to what others see meanwhile. Take the lock out of sqlite.js, and they fail.
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventLogContract, unitOfWorkContract } from "@agent-platform/kernel/testing"
import { layer } from "./sqlite.js"

const fresh = () => layer(join(mkdtempSync(join(tmpdir(), "sqlite-port-")), "events.db"))

unitOfWorkContract("node:sqlite", fresh())
eventLogContract("node:sqlite", fresh())
