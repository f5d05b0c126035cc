import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  type Person,
  persist,
  register,
  registerClient,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

let shop: TestTenant;
let staff: Person;

beforeAll(async () => {
  shop = await openTestTenant();
  staff = await registerClient(shop.tenantId);
});

const customerOf = async (as: Person): Promise<string> =>
  (await must("GET", "/auth/me", { as })).customer_id;
const joined = () => register({ tenant_id: shop.tenantId });
const change = (as: Person, id: string, body: object) =>
  call("PATCH", `/api/customers/${id}`, { as, body });

describe("the profile of a customer", () => {
  it("is changed by the customer and by the staff, and by nobody else", async () => {
    const customer = await joined();
    const id = await customerOf(customer);
    const changes = { name: "Amina", phone: "+998 66 123 45 67", language: "uz" };
    expect(await change(customer, id, changes)).toMatchObject({ status: 200, body: changes });
    expect(await change(staff, id, { name: "Amina K." })).toMatchObject({
      body: { ...changes, name: "Amina K.", email: customer.email },
    });
    expect((await change(shop.operator, id, { phone: null })).body.phone).toBeNull();
    expectRefusal(await change(shop.customer, id, changes), 404, "NOT_FOUND");
    expectRefusal(await change(shop.supplier, id, changes), 403, "FORBIDDEN");
    const stranger = await register({ tenant_name: "Strangers" });
    expectRefusal(await change(stranger, id, changes), 404, "NOT_FOUND");
  });

  it("keeps a corrected name when the account changes something else", async () => {
    const customer = await joined();
    const id = await customerOf(customer);
    await must("PATCH", `/api/customers/${id}`, { as: staff, body: { name: "Corrected" } });
    const admin = supabaseAsService().auth.admin;
    const changed = await admin.updateUserById(customer.id, { user_metadata: { language: "de" } });
    expect(changed.error).toBeNull();
    const path = `/api/customers/${id}`;
    expect(await must("GET", path, { as: staff })).toMatchObject({
      name: "Corrected",
      language: "de",
    });
    await admin.updateUserById(customer.id, { user_metadata: { name: "Renamed" } });
    expect(await must("GET", path, { as: staff })).toMatchObject({
      name: "Renamed",
      language: "de",
    });
  });

  it("takes an address from the staff while there is no account", async () => {
    const made = await must("POST", "/api/customers", {
      as: staff,
      body: { name: "Zoe", phone: "030 1" },
    });
    expect(made).toMatchObject({ phone: "030 1", email: null });
    const email = "Zoe.Without@Example.com";
    expect((await change(staff, made.id, { email })).body.email).toBe(email.toLowerCase());
    const customer = await joined();
    const id = await customerOf(customer);
    expectRefusal(await change(staff, id, { email }), 422, "VALIDATION_ERROR", { field: "email" });
    expectRefusal(await change(customer, id, { email }), 403, "FORBIDDEN", { field: "email" });
    expectRefusal(await change(staff, id, {}), 422, "VALIDATION_ERROR");
    expectRefusal(await change(staff, id, { phone: " " }), 422, "VALIDATION_ERROR", {
      field: "phone",
    });
  });

  it("is not changed once it is erased", async () => {
    const { id } = await must("POST", "/api/customers", { as: staff, body: { name: "Ida" } });
    await must("DELETE", `/api/customers/${id}/personal-data`, { as: shop.operator });
    expectRefusal(await change(staff, id, { name: "Ida" }), 409, "CONFLICT");
  });

  it("is found by name, address and phone", async () => {
    const { id } = await must("POST", "/api/customers", {
      as: staff,
      body: { name: "Wilhelmina Quist", email: "wq@findable.example.com", phone: "+31 20 7654321" },
    });
    for (const q of ["quist wilh", "wq@findable", "7654321", "+31 20"]) {
      const found = await must("GET", `/api/customers?q=${encodeURIComponent(q)}`, { as: staff });
      expect([q, found.customers.map((one: { id: string }) => one.id)]).toEqual([q, [id]]);
    }
  });
});

describe("the addresses of a customer", () => {
  const PATH = "/api/customers/me/addresses";
  const home = {
    name: "Amina",
    street: "1 Palm Street",
    city: "Samarkand",
    postal_code: "140100",
    country: "UZ",
  };
  const list = async (as: Person) => (await must("GET", PATH, { as })).addresses;

  it("are kept, changed and removed, and one is the default", async () => {
    const customer = await joined();
    expect(await list(customer)).toEqual([]);
    const first = await must("POST", PATH, { as: customer, body: home });
    expect(first).toMatchObject({ ...home, is_default: true });
    const second = await must("POST", PATH, {
      as: customer,
      body: { ...home, street: "2 Oak Street" },
    });
    expect(second.is_default).toBe(false);
    const third = await must("POST", PATH, { as: customer, body: { ...home, is_default: true } });
    expect(third.is_default).toBe(true);
    expect((await list(customer)).map(({ id }: { id: string }) => id)).toEqual([
      third.id,
      first.id,
      second.id,
    ]);

    const patched = await must("PATCH", `${PATH}/${second.id}`, {
      as: customer,
      body: { phone: "123", name: null, is_default: true },
    });
    expect(patched).toMatchObject({ street: "2 Oak Street", phone: "123", is_default: true });
    expect(patched).not.toHaveProperty("name");
    expect(await must("GET", `${PATH}/${second.id}`, { as: customer })).toEqual(patched);
    const refused = await call("PATCH", `${PATH}/${second.id}`, {
      as: customer,
      body: { is_default: false },
    });
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "is_default" });
    await must("DELETE", `${PATH}/${second.id}`, { as: customer });
    const left = await list(customer);
    expect(
      left.map((one: { id: string; is_default: boolean }) => [one.id, one.is_default]),
    ).toEqual([
      [first.id, true],
      [third.id, false],
    ]);
    const product = await listProduct(shop.supplier);
    const { id, is_default, created_at, updated_at, ...address } = left[0];
    await must("POST", "/api/orders", {
      as: customer,
      body: orderFor(product, 1, { shipping_address: address }),
    });
  });

  it("are checked as those of orders", async () => {
    const customer = await joined();
    for (const [body, field] of [
      [{ ...home, country: "XX" }, "address.country"],
      [{ ...home, city: null }, "address.city"],
      [{ ...home, postal_code: "1" }, "address.postal_code"],
    ] as const) {
      expectRefusal(await call("POST", PATH, { as: customer, body }), 422, "VALIDATION_ERROR", {
        field,
      });
    }
  });

  it("are 20 at most, however many are sent at once", async () => {
    const customer = await joined();
    const answers = await Promise.all(
      Array.from({ length: 23 }, () => persist("POST", PATH, { as: customer, body: home })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(3);
    for (const one of refused)
      expectRefusal(one, 422, "LIMIT_REACHED", { cap: "addresses_per_customer" });
    expect(await list(customer)).toHaveLength(20);
    expect(
      (await list(customer)).filter((one: { is_default: boolean }) => one.is_default),
    ).toHaveLength(1);
  });

  it("are the customer's alone, and go with the personal data", async () => {
    const customer = await joined();
    const { id } = await must("POST", PATH, { as: customer, body: home });
    const guest = await openGuest(shop.marketplace);
    expect(await list(guest)).toEqual([]);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { phone: "1" } : undefined;
      const path = `${PATH}/${id}`;
      expectRefusal(await call(method, path, { as: shop.customer, body }), 404, "NOT_FOUND");
      expectRefusal(await call(method, path, { as: staff, body }), 403, "FORBIDDEN");
    }
    await must("DELETE", `/api/customers/${await customerOf(customer)}/personal-data`, {
      as: customer,
    });
    expect(await query("select from private.customer_addresses where id = $1", [id])).toEqual([]);
  });
});
