// A service whose customers have API keys, and get a webhook for every invoice that they make.
import { createKeys } from "@agent-platform/embed/keys"
import { createWebhooks } from "@agent-platform/embed/webhooks"
import fastify from "fastify"

/** `pool` is the pg.Pool that the service has anyway. */
export const makeApp = async (pool, { secretsKey, allowLoopback = false }) => {
  const keys = createKeys({ database: pool, prefix: "acme_", scopes: ["invoices:write", "hooks:write"] })
  const webhooks = createWebhooks({ database: pool, secretsKey, allowLoopback })
  await keys.migrate()
  await webhooks.migrate()
  await webhooks.start()
  await pool.query("create table if not exists invoice (id bigint generated always as identity, cents int not null)")

  const app = fastify()
  /** Answers 401 or 403 unless the request has a key with the scope. */
  const demand = (scope) => async (request, reply) => {
    const [, value = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? []
    const found = await keys.verify(value, { scopes: [scope] })
    if (!found.valid) return reply.code(found.code === "scope_missing" ? 403 : 401).send({ error: found.message })
    request.tenant = found.tenant
  }

  app.post("/hooks", { preHandler: demand("hooks:write") }, async ({ body, tenant }) => {
    const { id, secret } = await webhooks.endpoints.create(tenant, { url: body.url })
    return { id, secret }
  })

  app.post("/invoices", { preHandler: demand("invoices:write") }, async ({ body, tenant }) => {
    const client = await pool.connect()
    try {
      // The invoice and its event are one transaction: there is never one without the other.
      await client.query("begin")
      const { rows } = await client.query("insert into invoice (cents) values ($1) returning id", [body.cents])
      await webhooks.publish({ tenant, type: "invoice.made", data: { id: rows[0].id, cents: body.cents } }, { client })
      await client.query("commit")
      return { id: rows[0].id }
    } catch (error) {
      await client.query("rollback")
      throw error
    } finally {
      client.release()
    }
  })

  app.addHook("onClose", async () => {
    await webhooks.close()
    await keys.close()
  })
  return { app, keys }
}
