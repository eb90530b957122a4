/** Examples of what commands print as JSON: the names and types are promised, the values are not. */

export const AN_ORGANIZATION = {
  id: "01a1fd56-58fb-746b-bcf2-262fc1c65f60",
  name: "Acme",
  created_at: "2026-11-21T05:10:00.123Z"
}

export const A_WORKSPACE = {
  id: "01a1fd56-58fc-7573-b364-3b348c658f72",
  name: "default",
  organization_id: AN_ORGANIZATION.id,
  timezone: "Europe/Berlin",
  next_timezone: null,
  monthly_cap_usd: "250.00",
  allow_platform_keys: false,
  retention_days: null,
  created_at: "2026-11-21T05:10:00.123Z"
}

export const A_MEMBER = {
  id: "01a1fd56-590a-7c0b-a1c7-0c2b6ad1b7de",
  email: "ada@example.com",
  organization_role: "owner",
  workspaces: [{ workspace_id: A_WORKSPACE.id, role: "member" }],
  status: "invited",
  user: null,
  invited_at: "2026-11-21T05:10:00.123Z",
  joined_at: null
}

export const A_KEY = {
  id: "01a1fd56-590b-7f5e-9a4e-5b8d2c6f0a11",
  name: "Recovery",
  hint: "apk_org_D3rG\u2026oLaK",
  kind: "organization",
  workspace_id: null,
  scopes: ["org:admin"],
  status: "active",
  created_at: "2026-11-21T05:10:00.123Z",
  expires_at: null,
  last_used_at: null
}

export const A_PRICE = {
  id: "01a1fd56-590c-7b1d-8f0a-2f6f0f7f1c22",
  workspace_id: null,
  provider: "openai",
  model: "gpt-4.1",
  input_usd: "2.00",
  cache_read_usd: "0.50",
  cache_write_usd: null,
  output_usd: "8.00",
  effective_from: "2026-12-01T00:00:00.000Z"
}
