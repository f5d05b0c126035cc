import bcrypt from "bcrypt";
import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "../src/db/database.js";
import { newAddress, openDatabase, PASSWORD, type Running, startAuth } from "./auth-fixture.js";
import { oneServer } from "./servers.js";

const HOOKS = `
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/token_claims"
[auth.hook.before_user_created]
enabled = true
uri = "pg-functions://postgres/public/gate"
`;

/** The migration of a project: profiles written by a trigger, and two hooks. */
const PROJECT = `
create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  name text,
  role_then text,
  confirmed boolean not null
);
create function public.new_profile() returns trigger language plpgsql security definer
set search_path = '' as $$
begin
  if new.raw_user_meta_data ->> 'name' = 'refused' then
    raise exception 'not this one';
  end if;
  insert into public.profiles values (
    new.id, new.raw_user_meta_data ->> 'name', new.role, new.email_confirmed_at is not null
  );
  return new;
end $$;
create trigger on_user after insert on auth.users
  for each row execute function public.new_profile();
create function public.note_confirmation() returns trigger language plpgsql security definer
set search_path = '' as $$
begin
  update public.profiles set confirmed = true where id = new.id;
  return new;
end $$;
create trigger on_confirmed after update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null)
  execute function public.note_confirmation();

create function public.token_claims(event jsonb) returns jsonb language plpgsql stable as $$
declare
  name text := event -> 'claims' -> 'user_metadata' ->> 'name';
begin
  if current_user <> 'supabase_auth_admin' then
    raise exception 'called as %', current_user;
  elsif name = 'no token' then
    return '{"error": {"http_code": 418, "message": "no token for you"}}';
  elsif name = 'no claims' then
    return '{}';
  elsif name = 'bare claims' then
    return '{"claims": {"role": "authenticated"}}';
  elsif name = 'no answer' then
    return null;
  elsif name = 'a list' then
    return '[]';
  elsif name = 'slow' and current_setting('server_version_num')::int < 180000 then
    perform pg_sleep(3);
  elsif name in ('broken', 'slow') then
    raise exception 'broken hook';
  end if;
  return jsonb_build_object('claims', event -> 'claims' || jsonb_build_object(
    'tenant_id', 'one', 'method', event -> 'authentication_method', 'user_id', event -> 'user_id'
  ));
end $$;
grant execute on function public.token_claims to supabase_auth_admin;
revoke execute on function public.token_claims from public;

create table public.asked (event jsonb);
grant insert on public.asked to supabase_auth_admin;
create function public.gate(event jsonb) returns jsonb language plpgsql as $$
declare
  email text := event -> 'user' ->> 'email';
begin
  if email like 'blocked%' then
    return '{"error": {"http_code": 403, "message": "by invitation only"}}';
  elsif email like 'plain%' then
    return '{"error": {"message": "no"}}';
  elsif email like 'crash%' then
    raise exception 'crashed on %', email using errcode = 'PT409', hint = 'try another';
  end if;
  insert into public.asked values (event);
  return '{}';
end $$;
`;

describe.each(oneServer)("a project's rules on %s", (server) => {
  let db: Database;
  let auth: Running;

  beforeAll(async () => {
    db = await openDatabase(server);
    await db.execute(PROJECT);
    auth = await startAuth(db, HOOKS);
  });
  afterAll(async () => {
    await auth?.stop();
    await db?.close();
  });
  afterEach(() => vi.restoreAllMocks());

  const signUp = (email: string, name: string) =>
    auth.http("/signup", {
      method: "POST",
      headers: { "x-supabase-api-version": "2024-01-01" },
      body: JSON.stringify({ email, password: PASSWORD, data: { name } }),
    });
  async function leftOf(email: string) {
    const [left] = await db.query(
      `select (select count(*) from auth.users where email = $1) as users,
              (select count(*) from auth.identities where email = $1) as identities,
              (select count(*) from auth.sessions s left join auth.users u on u.id = s.user_id
               where u.id is null or u.email = $1) as sessions`,
      [email],
    );
    return left;
  }
  const nothing = { users: 0, identities: 0, sessions: 0 };

  test("the token hook adds claims at every kind of sign-in, and gets its method", async () => {
    const client = auth.client();
    const email = newAddress();
    const up = await client.auth.signUp({ email, password: PASSWORD });
    const claims = decodeJwt(up.data.session?.access_token ?? "");
    expect(claims).toMatchObject({ tenant_id: "one", method: "password", user_id: claims.sub });
    const refreshed = await client.auth.refreshSession();
    expect(decodeJwt(refreshed.data.session?.access_token ?? "")).toMatchObject({
      tenant_id: "one",
      method: "token_refresh",
    });
  });

  test.each([
    ["no token", 418, "unknown", "no token for you"],
    ["no claims", 500, "unexpected_failure", "output claims field is missing"],
    ["bare claims", 500, "unexpected_failure", expect.stringContaining("do not conform")],
    ["no answer", 500, "unexpected_failure", expect.stringContaining("do not conform")],
    ["a list", 500, "unexpected_failure", "Error unmarshaling JSON output."],
    [
      "broken",
      500,
      "unexpected_failure",
      "Error running hook URI: pg-functions://postgres/public/token_claims",
    ],
    ["slow", 500, "unexpected_failure", expect.stringContaining("Error running hook URI")],
  ])("a token hook that answers %s leaves an account without a session", async (name, status, code, message) => {
    const email = newAddress();
    const answer = await signUp(email, name);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ code, message });
    expect(await leftOf(email)).toEqual({ users: 1, identities: 1, sessions: 0 });
  });

  test("a hook that fails redirects the reader of a mail with the reason, and is logged", async () => {
    const email = newAddress();
    await signUp(email, "Ada");
    await auth.http("/recover", { method: "POST", body: JSON.stringify({ email }) });
    await db.query(
      `update auth.users set raw_user_meta_data = '{"name": "broken"}' where email = $1`,
      [email],
    );
    const link = auth.mailbox.mails().find(({ to }) => to === email)?.link ?? "";
    const answer = await fetch(link, { redirect: "manual" });
    const fragment = new URL(answer.headers.get("location") ?? "").hash;
    expect(Object.fromEntries(new URLSearchParams(fragment.slice(1)))).toEqual({
      error: "server_error",
      error_code: "unexpected_failure",
      // Encoded twice, as on hosted projects.
      error_description:
        "Error running hook URI%3A pg-functions%3A%2F%2Fpostgres%2Fpublic%2Ftoken_claims",
      sb: "",
    });
    expect(auth.lines.at(-1)).toContain("broken hook");
    expect(auth.lines.at(-1)).not.toContain(new URL(link).searchParams.get("token"));
  });

  test("the hook before a user is created can refuse the user", async () => {
    const email = `blocked-${newAddress()}`;
    const answer = await signUp(email, "Ada");
    expect(answer.status).toBe(403);
    expect((await answer.json()).message).toBe("by invitation only");
    expect(await leftOf(email)).toEqual(nothing);
  });

  test("the hook before a user is created gets the user's data, and refuses or fails as in hosted Supabase", async () => {
    const email = newAddress();
    await signUp(email, "Ada");
    const [asked] = await db.query<{ event: unknown }>(
      "select event from public.asked where event -> 'user' ->> 'email' = $1",
      [email],
    );
    expect(asked?.event).toMatchObject({
      metadata: {
        name: "before-user-created",
        ip_address: "127.0.0.1",
        uuid: expect.any(String),
        time: expect.any(String),
      },
      user: {
        email,
        aud: "authenticated",
        phone: "",
        is_anonymous: false,
        app_metadata: { provider: "email", providers: ["email"] },
        user_metadata: { name: "Ada" },
        identities: [],
      },
    });
    const plain = await signUp(`plain-${newAddress()}`, "Ada");
    expect([plain.status, await plain.json()]).toEqual([
      500,
      { code: "unexpected_failure", message: "no" },
    ]);
    const crash = `crash-${newAddress()}`;
    const refused = await signUp(crash, "Ada");
    expect([refused.status, await refused.json()]).toEqual([
      500,
      {
        code: "unexpected_failure",
        message: "Error running hook URI: pg-functions://postgres/public/gate",
      },
    ]);
    expect(await leftOf(crash)).toEqual(nothing);
    // Clients older than error codes get the raised message, with its status.
    const old = await auth.http("/signup", {
      method: "POST",
      body: JSON.stringify({ email: crash, password: PASSWORD }),
    });
    expect([old.status, await old.json()]).toEqual([
      409,
      { code: "PT409", message: `crashed on ${crash}`, hint: "try another" },
    ]);
  });

  test("a trigger's refusal rolls everything back", async () => {
    const email = newAddress();
    const answer = await signUp(email, "refused");
    expect(answer.status).toBe(500);
    expect(answer.headers.get("x-supabase-api-version")).toBe("2024-01-01");
    expect(answer.headers.get("x-sb-error-code")).toBe("unexpected_failure");
    expect(await answer.json()).toEqual({
      code: "unexpected_failure",
      message: "Database error saving new user",
    });
    expect(auth.lines.at(-1)).toContain("not this one");
    expect(await leftOf(email)).toEqual(nothing);
    expect((await signUp(email, "Ada")).status).toBe(200);
  });

  test("clients older than error codes get the raised message", async () => {
    const answer = await auth.http("/signup", {
      method: "POST",
      body: JSON.stringify({ email: newAddress(), password: PASSWORD, data: { name: "refused" } }),
    });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ code: "P0001", message: "not this one" });
  });

  test("triggers see the user first unconfirmed, then confirmed", async () => {
    const email = newAddress();
    const { user } = await (await signUp(email, "Ada")).json();
    const profile = await db.query(
      "select name, role_then, confirmed from public.profiles where id = $1",
      [user.id],
    );
    expect(profile).toEqual([{ name: "Ada", role_then: "", confirmed: true }]);
    await auth.client(auth.keys.serviceRoleKey).auth.admin.deleteUser(user.id);
    expect(await db.query("select id from public.profiles where id = $1", [user.id])).toEqual([]);
  });

  test.each([
    [undefined, "$2b$10$"],
    [4, "$2b$04$"],
  ])("an unknown address, a wrong password and a user without a password cost one comparison (configured cost %s)", async (passwordCost, cost) => {
    const service = await startAuth(db, HOOKS, [], { passwordCost });
    const [email, empty, unknown] = [newAddress(), newAddress(), newAddress()];
    for (const address of [email, empty]) {
      await service.client().auth.signUp({ email: address, password: PASSWORD });
    }
    await db.query("update auth.users set encrypted_password = null where email = $1", [empty]);

    const compare = vi.spyOn(bcrypt, "compare");
    const costs: string[] = [];
    for (const address of [email, unknown, empty]) {
      compare.mockClear();
      const answer = await service.client().auth.signInWithPassword({
        email: address,
        password: "wrong horse",
      });
      expect(answer.error?.code).toBe("invalid_credentials");
      expect(compare).toHaveBeenCalledTimes(1);
      costs.push(String(compare.mock.calls[0]?.[1]).slice(0, 7));
    }
    expect(new Set(costs)).toEqual(new Set([cost]));
    await service.stop();
  });

  test("the log contains no password, token or hash", () => {
    expect(auth.lines.length).toBeGreaterThan(0);
    expect(auth.lines.join("\n")).not.toMatch(/correct horse|\$2b\$|eyJ/);
  });
});
