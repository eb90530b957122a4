/** The OpenAPI document: what is generated from the endpoints, completed and made fit for generators of clients. */
import { agentLineSchemas, runEventSchemas, WEBHOOKS, webhookEventSchemas } from "./events.ts"
import { withExamples } from "./examples.ts"
import { completeOperation, type OperationFacts } from "./operations.ts"
import { LENIENCIES, RULES } from "./rules.ts"
import { discriminated, open, tidy } from "./schemas.ts"
import type { Document, Json } from "./shapes.ts"
import { headers, parameters } from "./shared.ts"

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)

/**
 * Completes the generated document: the headers that hold for every operation, who may call it, the formats of streams, links,
 * the events, and components under the names that people know them by. `facts` are by the generated id of an operation.
 */
export const completeDocument = (generated: Json, facts: ReadonlyMap<string, OperationFacts>): Json => {
  // The generator calls the form of a schema on the wire `RunEncoded`, for instance: people know it as `Run`.
  const renamed = JSON.parse(
    JSON.stringify(generated).replaceAll(/"#\/components\/schemas\/(\w+?)Encoded"/g, '"#/components/schemas/$1"')
  ) as Document
  const generatedSchemas = Object.fromEntries(
    Object.entries(renamed.components.schemas).map(([name, schema]): [string, Json] =>
      open([name.replace(/Encoded$/, ""), tidy(schema) as Json])
    )
  )
  const added = {
    ...runEventSchemas(generatedSchemas),
    ...webhookEventSchemas(),
    ...agentLineSchemas()
  }
  const all = Object.fromEntries(Object.entries({ ...generatedSchemas, ...added }).sort(byName))
  // After all of them are there: a union is discriminated by what its members say of their `type`.
  const schemas = discriminated(all) as Record<string, Json>
  const paths = Object.fromEntries(
    Object.entries(renamed.paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          completeOperation({ path, method, operation, schemas, facts: facts.get(operation.operationId) })
        ])
      )
    ])
  )
  const components = { ...renamed.components, parameters, headers, schemas: withExamples(schemas) }
  return {
    ...renamed,
    servers: [{ url: "/", description: "This deployment" }],
    paths,
    webhooks: WEBHOOKS,
    "x-rules": RULES,
    "x-leniencies": Object.values(LENIENCIES),
    components
  }
}
