/** The boundary between the endpoints of tenants. Replays refer to their endpoint and its organization already. */
import { statements } from "./statements.ts"

export const webhookWalls = statements([
  `alter table webhook_endpoint add foreign key (organization_id) references organization (id)`
])
