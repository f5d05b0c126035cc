// A thousand concurrent requests of twenty people, through every interface that acts for a user. PGlite has one session
// for all of them, and Postgres a pool. If an identity, a setting or an answer reached another request, its answer or
// the stored rows would show it.
import { beforeAll, describe, expect, it } from "vitest";
import { ownStack } from "../own-stack.js";
import { call, marketplaceFields, type Person, register, supabaseAs } from "../souk.js";

const PEOPLE = 20;
const REQUESTS = 1000;
/** More sockets than a browser would open, but few enough for any machine. */
const AT_ONCE = 200;

/** One request as a person. Resolves to the part of its answer that identifies the caller. */
type Ask = (person: Person) => Promise<unknown>;

const authUser = async (person: Person) => {
  const { url, anon_key } = ownStack;
  const answer = await fetch(`${url}/auth/v1/user`, {
    headers: { apikey: anon_key, authorization: `Bearer ${person.token}` },
  });
  return await answer.json();
};

/** The requests, and the expected answer of each for a person. */
const asks: { name: string; ask: Ask; expected: (person: Person) => unknown }[] = [
  {
    name: "an rpc",
    ask: async (person) => {
      const { data } = await supabaseAs(person).rpc("me").throwOnError();
      return [data.user.id, data.user.email, data.tenant.id];
    },
    expected: ({ id, email, tenantId }) => [id, email, tenantId],
  },
  {
    name: "rows under row-level security",
    ask: async (person) => {
      const { data } = await supabaseAs(person).from("tenants").select("id").throwOnError();
      return data;
    },
    expected: ({ tenantId }) => [{ id: tenantId }],
  },
  {
    name: "an insert whose tenant is a default",
    ask: async (person) => {
      const { data } = await supabaseAs(person)
        .from("marketplaces")
        .insert(marketplaceFields({ name: `Of ${person.id}` }))
        .select("tenant_id, name")
        .single()
        .throwOnError();
      return data;
    },
    expected: ({ id, tenantId }) => ({ tenant_id: tenantId, name: `Of ${id}` }),
  },
  {
    name: "a statement that fails half-way",
    ask: async (person) => {
      const rows = [marketplaceFields(), marketplaceFields({ name: "" })];
      const { error } = await supabaseAs(person).from("marketplaces").insert(rows);
      return error?.code;
    },
    expected: () => "23514",
  },
  {
    name: "a refusal",
    ask: async (person) => {
      const { error } = await supabaseAs(person).from("tenants").delete().eq("id", person.tenantId);
      return error?.code;
    },
    expected: () => "42501",
  },
  {
    name: "nobody",
    ask: async () => (await supabaseAs().from("tenants").select("id")).error?.code,
    expected: () => "42501",
  },
  {
    name: "Auth",
    ask: async (person) => {
      const { id, email } = (await authUser(person)) as Record<string, unknown>;
      return [id, email];
    },
    expected: ({ id, email }) => [id, email],
  },
  {
    name: "an edge function",
    ask: async (person) => {
      const { body } = await call("GET", "/auth/me", { as: person });
      return [body.user.id, body.tenant.id];
    },
    expected: ({ id, tenantId }) => [id, tenantId],
  },
];

describe("a thousand concurrent requests of twenty people", () => {
  let people: Person[];
  beforeAll(async () => {
    people = await Promise.all(
      Array.from({ length: PEOPLE }, (_, i) => register({ tenant_name: `Tenant ${i}` })),
    );
  });

  it("never mix identities", async () => {
    const mixed: unknown[] = [];
    const left = Array.from({ length: REQUESTS }, (_, i) => ({
      person: people[i % PEOPLE] as Person,
      // The step has no common factor with the number of people, so everybody sends every request.
      ...(asks[Math.floor(i / PEOPLE) % asks.length] as (typeof asks)[number]),
    }));
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          const { name, person, ask, expected } = next;
          const answer = await ask(person);
          const right = expected(person);
          if (JSON.stringify(answer) !== JSON.stringify(right)) mixed.push({ name, answer, right });
        }
      }),
    );
    expect(mixed).toEqual([]);

    // No request wrote to another tenant.
    for (const person of people) {
      const { data } = await supabaseAs(person)
        .from("marketplaces")
        .select("name, tenant_id")
        .throwOnError();
      const written = new Set(data.map((row) => `${row.tenant_id} ${row.name}`));
      expect(written).toEqual(new Set([`${person.tenantId} Of ${person.id}`]));
    }
  });
});
