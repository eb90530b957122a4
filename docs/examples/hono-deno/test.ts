import { strict as assert } from "node:assert"
import process from "node:process"
import { makeApp } from "./app.ts"

const { app, close } = await makeApp(process.env["DATABASE_URL"] ?? "")
const { run } = await (await app.request("/counts/3", { method: "POST" })).json()
const whole = await (await app.request(`/runs/${run}/events`)).text()
assert.deepEqual(whole.match(/(?<=event: ).*/g), ["run.queued", "run.started", "log", "log", "log", "run.succeeded"])
const rest = await (await app.request(`/runs/${run}/events`, { headers: { "last-event-id": "4" } })).text()
assert.deepEqual(rest.match(/(?<=id: ).*/g), ["5", "6"])
await close()
