// Makes the client out of schema.prisma. The engine of migrations, which `prisma generate` would fetch although it does not use it,
// is named as there already.
import { execFileSync } from "node:child_process"

execFileSync("npx", ["prisma", "generate"], {
  stdio: "inherit",
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" }
})
