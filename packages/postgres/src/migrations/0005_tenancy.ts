/** People, and the walls between workspaces. */
import { statements } from "./statements.ts"

export const tenancy = statements([
  `alter table workspace
    add column monthly_cap_usd numeric(24, 12) check (monthly_cap_usd >= 0),
    add column allow_platform_keys boolean not null default false`
])
