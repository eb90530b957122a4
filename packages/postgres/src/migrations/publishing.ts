/**
 * Publishing by one SQL function, for services that embed webhooks: any language and any library calls it in a transaction of its own.
 * The platform does not install it.
 */
import type { Step } from "./Step.ts"

/** Most bytes of a tenant's name, in UTF-8. */
export const TENANT_BYTES_MAX = 256

/** A tenant whose name is no UUID has the UUIDv5 of its name under this namespace as its id. */
export const TENANT_NAMESPACE = "5b0f4a52-6a6e-4c57-9c0e-2f3d7a1c84b6"

/** The pattern of event types, which Postgres and JavaScript understand alike. */
export const EVENT_TYPE_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$"

/**
 * An id that a caller makes must be from the last 24 hours, and may be 5 minutes ahead, since clocks differ: its time decides in which
 * partition the event is kept. The refusal names the hours alone.
 */
export const EVENT_ID_HOURS_MAX = 24
export const EVENT_ID_MINUTES_AHEAD_MAX = 5

/** Set on every function, so that its names mean what Postgres has and not what a caller has put into a schema. */
const SEARCH_PATH = "set search_path = pg_catalog, pg_temp"

/**
 * The id of a tenant: its name where that is a UUID, else the UUIDv5 of it. The SHA-1 for that is written out here, because Postgres
 * has it in extensions alone, which a host need not have. Its variables have the names of FIPS 180; the two `set_byte` at the end make
 * the hash a UUID of version 5.
 */
const tenantId = `create function webhook_tenant_id(tenant text) returns uuid language plpgsql immutable strict ${SEARCH_PATH} as $$
  declare
    named bytea := decode('${TENANT_NAMESPACE.replaceAll("-", "")}', 'hex') || convert_to(tenant, 'UTF8');
    bits constant bigint := length(named) * 8;
    mask constant bigint := 4294967295;
    h bigint[] := array[1732584193, 4023233417, 2562383102, 271733878, 3285377520];
    w bigint[];
    a bigint; b bigint; c bigint; d bigint; e bigint; f bigint; k bigint; t bigint;
    digest bytea := '';
  begin
    if tenant ~* '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then return tenant::uuid; end if;
    named := named || '\\x80'::bytea;
    named := named || decode(repeat('00', (120 - length(named) % 64) % 64), 'hex') || int8send(bits);
    for block in 0 .. length(named) / 64 - 1 loop
      w := array[]::bigint[];
      for i in 0 .. 79 loop
        if i < 16 then
          t := block * 64 + i * 4;
          w[i] := (get_byte(named, t::int)::bigint << 24) | (get_byte(named, t::int + 1)::bigint << 16)
            | (get_byte(named, t::int + 2)::bigint << 8) | get_byte(named, t::int + 3);
        else
          t := w[i - 3] # w[i - 8] # w[i - 14] # w[i - 16];
          w[i] := ((t << 1) & mask) | (t >> 31);
        end if;
      end loop;
      a := h[1]; b := h[2]; c := h[3]; d := h[4]; e := h[5];
      for i in 0 .. 79 loop
        if i < 20 then f := (b & c) | ((~b & mask) & d); k := 1518500249;
        elsif i < 40 then f := b # c # d; k := 1859775393;
        elsif i < 60 then f := (b & c) | (b & d) | (c & d); k := 2400959708;
        else f := b # c # d; k := 3395469782;
        end if;
        t := ((((a << 5) & mask) | (a >> 27)) + f + e + k + w[i]) & mask;
        e := d; d := c; c := ((b << 30) & mask) | (b >> 2); b := a; a := t;
      end loop;
      h := array[(h[1] + a) & mask, (h[2] + b) & mask, (h[3] + c) & mask, (h[4] + d) & mask, (h[5] + e) & mask];
    end loop;
    for i in 1 .. 4 loop digest := digest || substring(int8send(h[i]) from 5); end loop;
    digest := set_byte(digest, 6, (get_byte(digest, 6) & 15) | 80);
    digest := set_byte(digest, 8, (get_byte(digest, 8) & 63) | 128);
    return encode(digest, 'hex')::uuid;
  end
$$`

/** The statement that refuses a call with a sentence, which callers get as their database's error 22023. */
const refuse = (sentence: string, ...values: ReadonlyArray<string>) =>
  `raise invalid_parameter_value using message = ${
    values.length === 0 ? `'publish_event: ${sentence}'` : `format('publish_event: ${sentence}', ${values.join(", ")})`
  };`

/**
 * The function that publishes. Its parameters are part of the interface; inside, columns are named with their tables. An event without
 * an id gets a UUIDv7: random bytes, of which the first six become the milliseconds. An event that has this id already is the same one
 * where its tenant and type are the same: nothing is written then. The notification has the form of `payloads` in PgSignals.ts.
 */
const publishEvent = (schema: string) => `
  create function publish_event(tenant text, type text, data jsonb, id uuid default null) returns uuid
  language plpgsql security definer ${SEARCH_PATH} as $$
  #variable_conflict use_variable
  declare
    published_at constant timestamptz := date_trunc('milliseconds', clock_timestamp());
    written constant text := data::text;
    organization uuid;
    made bytea;
    event_id uuid := id;
    bytes_max integer;
    is_open boolean;
    notifies boolean;
    earlier record;
  begin
    if tenant is null or octet_length(convert_to(tenant, 'UTF8')) not between 1 and ${TENANT_BYTES_MAX} then
      ${refuse(`a tenant is a text of 1 to ${TENANT_BYTES_MAX} bytes`)}
    end if;
    if type is null or type !~ '${EVENT_TYPE_PATTERN}' then
      ${refuse("an event type is 1 to 128 letters, digits, _, ., : and -, and begins with a letter or a digit")}
    end if;
    select webhook_setting.data_bytes_max, webhook_setting.is_open, webhook_setting.notifies
      into strict bytes_max, is_open, notifies from ${schema}.webhook_setting;
    if not is_open and not exists (select from ${schema}.webhook_event_type where name = type) then
      ${refuse("there is no event type %s. Add it to the eventTypes of createWebhooks", "quote_literal(type)")}
    end if;
    if data is null or jsonb_typeof(data) <> 'object' then
      ${refuse("data is a JSON object")}
    end if;
    if octet_length(convert_to(written, 'UTF8')) > bytes_max then
      ${refuse("data has %s bytes as jsonb, and %s at most", "octet_length(convert_to(written, 'UTF8'))", "bytes_max")}
    end if;
    if event_id is null then
      made := overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from published_at) * 1000)::bigint) from 3) from 1 for 6
      );
      event_id := encode(set_byte(made, 6, (get_byte(made, 6) & 15) | 112), 'hex')::uuid;
    elsif substring(event_id::text from 15 for 1) <> '7'
      or event_id < ${schema}.webhook_first_id_at(published_at - interval '${EVENT_ID_HOURS_MAX} hours')
      or event_id > ${schema}.webhook_first_id_at(published_at + interval '${EVENT_ID_MINUTES_AHEAD_MAX} minutes') then
      ${refuse(`an id is a UUIDv7 of the last ${EVENT_ID_HOURS_MAX} hours`)}
    end if;
    select webhook_tenant.id into organization from ${schema}.webhook_tenant where webhook_tenant.name = tenant;
    organization := coalesce(organization, ${schema}.webhook_tenant_id(tenant));
    insert into ${schema}.event (id, organization_id, type, created_at, data)
      values (event_id, organization, type, published_at, written)
    on conflict do nothing;
    if not found then
      select event.organization_id, event.type into earlier from ${schema}.event where event.id = event_id;
      if earlier.organization_id is distinct from organization or earlier.type is distinct from type then
        ${refuse("another event has the id %s", "event_id")}
      end if;
      return event_id;
    end if;
    insert into ${schema}.event_outbox (event_id) values (event_id);
    if notifies then perform pg_notify('${schema}_signal', E'publish_event\\nevents.dispatch'); end if;
    return event_id;
  end
  $$`

const objects = (schema: string) => [
  // The names of tenants that have an endpoint, so that they can be shown. Tenants without a row have the id that webhook_tenant_id
  // makes of their names.
  `create table webhook_tenant (
    id uuid primary key,
    name text not null unique check (octet_length(name) between 1 and ${TENANT_BYTES_MAX})
  )`,
  `create table webhook_event_type (name text primary key check (name ~ '${EVENT_TYPE_PATTERN}'))`,
  // One row. is_open: whether events of any type may be published, or only those in webhook_event_type. notifies: whether workers are
  // woken by NOTIFY.
  `create table webhook_setting (
    id boolean primary key default true check (id),
    is_open boolean not null,
    data_bytes_max integer not null check (data_bytes_max > 0),
    notifies boolean not null
  )`,
  `insert into webhook_setting (is_open, data_bytes_max, notifies) values (true, 262144, true)`,
  `create function webhook_first_id_at(at timestamptz) returns uuid language sql immutable strict ${SEARCH_PATH} as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
  $$`,
  tenantId,
  publishEvent(schema),
  "revoke execute on function webhook_first_id_at(timestamptz), webhook_tenant_id(text) from public",
  "revoke execute on function publish_event(text, text, jsonb, uuid) from public"
]

export const publishing: ReadonlyArray<Step> = [{ name: "first", statements: objects }]
