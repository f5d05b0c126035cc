import { beforeAll, describe, expect, it } from "vitest";
import ws from "ws";
import { createClient } from "../../packages/client/src/index.js";
import {
  call,
  expectRefusal,
  letReserve,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  stackInUse,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { headersOf } from "../visitors/visiting.js";
import { doBusiness, getOrder, place, placed } from "./ordering.js";

// What an address must have depends on its country.

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
type Record_ = any;

/** An address of each country, and the field whose change or loss makes it wrong. */
const ADDRESSES: [country: string, address: object, broken: object][] = [
  ["AE", { street: "Sheikh Zayed Road 1", region: "دبي" }, { region: null }],
  ["AG", { street: "1 Long Street" }, { street: "" }],
  [
    "AU",
    { street: "1 George Street", city: "Sydney", region: "NSW", postal_code: "2000" },
    { postal_code: "200" },
  ],
  ["BH", { street: "Road 11", city: "Manama", postal_code: "1216" }, { postal_code: "1316" }],
  [
    "BR",
    { street: "Rua A 1", city: "Salvador", region: "BA", postal_code: "40301110" },
    { region: " " },
  ],
  [
    "CA",
    { street: "1 Elgin St", city: "Ottawa", region: "ON", postal_code: "k1a 0b1" },
    { postal_code: "K1A" },
  ],
  ["CH", { street: "Gasse 1", city: "Bern", postal_code: "CH-3011" }, { postal_code: "30111" }],
  [
    "CN",
    { street: "长安街1号", city: "北京市", region: "北京", postal_code: "100006" },
    { city: null },
  ],
  [
    "DE",
    { street: "Königsallee 7", city: "Düsseldorf", postal_code: "40212" },
    { postal_code: "4021" },
  ],
  ["EG", { street: "١ شارع النيل", city: "القاهرة", postal_code: "١١٥١١" }, { postal_code: "١١" }],
  [
    "GB",
    { street: "10 Downing Street", city: "London", postal_code: "sw1a 2aa" },
    { postal_code: "12345" },
  ],
  ["GH", { street: "Oxford Street 1", city: "Accra" }, { city: undefined }],
  [
    "HK",
    { street: "1 Nathan Road", city: "Tsim Sha Tsui", region: "Kowloon" },
    { region: undefined },
  ],
  ["IE", { street: "1 Quay", city: "Cork" }, { postal_code: "T12" }],
  [
    "IN",
    { street: "1 MG Road", city: "Pune", region: "MH", postal_code: "411001" },
    { postal_code: "41100" },
  ],
  ["JM", { street: "1 Hope Road", city: "Kingston", region: "Saint Andrew" }, { region: "" }],
  [
    "JP",
    { street: "千代田1-1", region: "東京都", postal_code: "１００-０００１" },
    { postal_code: "100-000" },
  ],
  [
    "KR",
    { street: "세종대로 1", city: "중구", region: "서울", postal_code: "04524" },
    { postal_code: "100-101" },
  ],
  ["LV", { street: "Brīvības 1", city: "Rīga", postal_code: "LV-1010" }, { postal_code: "1010" }],
  ["NL", { street: "Damrak 1", city: "Amsterdam", postal_code: "1012LG" }, { postal_code: "1012" }],
  ["PA", { street: "Calle 1", city: "Panamá", region: "Panamá" }, { city: null }],
  ["PT", { street: "Rua 1", city: "Lisboa", postal_code: "1100-148" }, { postal_code: "1100148" }],
  ["QA", { street: "Corniche 1", city: "Doha" }, { street: "\n" }],
  ["SG", { street: "1 Orchard Road", postal_code: "238801" }, { postal_code: null }],
  [
    "TW",
    { street: "信義路1號", city: "信義區", region: "臺北市", postal_code: "110" },
    { postal_code: "11" },
  ],
  [
    "US",
    { street: "1 Main St", city: "Reno", region: "NV", postal_code: "89501-1234" },
    { region: null },
  ],
  ["VN", { street: "1 Trần Phú", region: "Hà Nội" }, { postal_code: "1" }],
];

let testTenant: TestTenant;
let lamp: Record_;
let countries: Record_[];

beforeAll(async () => {
  testTenant = await openTestTenant();
  await letReserve(testTenant);
  lamp = await listProduct(testTenant.supplier, { inventory: { quantity: 1000 } });
  ({ countries } = await must("GET", "/api/countries", { as: testTenant.customer }));
});

const orderTo = (shipping_address: object) => orderFor(lamp, 1, { shipping_address });

/** The refusal of an order by rpc: its field, and its message. */
async function refusedByRpc(as: Person, address: object) {
  const { error } = await supabaseAs(as).rpc("place_order", orderTo(address));
  expect(error, JSON.stringify(address)).toMatchObject({
    code: "PT422",
    message: "VALIDATION_ERROR",
  });
  return { field: JSON.parse(error?.details ?? "").field, message: error?.hint };
}

describe("an address", () => {
  it.each(
    ADDRESSES,
  )("in %s is taken by the country's rules, and refused without them", async (country, good, change) => {
    const { operator, tenantId } = testTenant;
    const customer = await register({ tenant_id: tenantId });
    const address = { ...good, country };
    const order = await must("POST", "/api/orders", { as: customer, body: orderTo(address) });
    expect(order.shipping_address).toEqual(address);
    expect((await getOrder(operator, order)).shipping_address).toEqual(address);
    const { data } = await supabaseAs(customer).rpc("place_order", orderTo(address)).throwOnError();
    expect(data.shipping_address).toEqual(address);
    const { url, anon_key } = stackInUse();
    const souk = createClient(url, anon_key, {
      accessToken: async () => customer.token,
      realtime: { transport: ws as never },
    });
    expect((await souk.orders.place(orderTo(address))).shipping_address).toEqual(address);

    const broken = { ...address, ...change };
    const field = `shipping_address.${Object.keys(change)[0]}`;
    const answer = await place(customer, orderTo(broken));
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    const refused = await refusedByRpc(customer, broken);
    expect(refused.field).toBe(field);
    expect(answer.body.error.message).toBe(refused.message);
    const { required, postal_code_example } = countries.find(({ code }) => code === country);
    if (Object.values(change)[0]?.trim()) expect(refused.message).toContain(postal_code_example);
    else expect(required.map((name: string) => `shipping_address.${name}`)).toContain(field);
  });

  it("has a postal code with the spaces, hyphens and digits of any keyboard", async () => {
    const { customer } = testTenant;
    for (const [country, postal_code] of [
      ["GB", "sw1a\u00a02aa"],
      ["NL", "1012\u202fLG"],
      ["JP", "１００－０００１"],
      ["JP", "１００−０００１"],
      ["JP", "100ー0001"],
      ["PL", "00–950"],
      ["PT", "1100‑148"],
      ["GR", "105　57"],
      ["IR", "۱۱۹۳۶-۱۲۳۴۵"],
    ]) {
      const address = { street: "1", city: "A", region: "B", country, postal_code };
      const order = await placed(customer, lamp, 1, { shipping_address: address });
      expect(order.shipping_address).toEqual(address);
    }
  });

  it("without a country needs street and city, and any postal code is taken", async () => {
    const { customer } = testTenant;
    for (const postal_code of [undefined, "30000", "A-1", "x".repeat(40)]) {
      const address = { street: "1 Market Street", city: "Fez", postal_code };
      expect(
        (await placed(customer, lamp, 1, { shipping_address: address })).shipping_address,
      ).toEqual(address);
    }
    for (const name of ["street", "city"]) {
      const address = {
        street: "1 Market Street",
        city: "Fez",
        postal_code: "30000",
        [name]: undefined,
      };
      const field = `shipping_address.${name}`;
      expectRefusal(await place(customer, orderTo(address)), 422, "VALIDATION_ERROR", { field });
      expect((await refusedByRpc(customer, address)).field).toBe(field);
    }
  });

  it("has the country of the marketplace if it names none", async () => {
    const shop = await openTestTenant();
    const { operator, customer, supplier, marketplace } = shop;
    const product = await listProduct(supplier);
    const to = (shipping_address: object) =>
      place(customer, orderFor(product, 1, { shipping_address }));
    await doBusiness(shop, { country: "NL" });
    const storefront = await must("GET", `/api/storefront?domain=${marketplace.domain}`);
    expect(storefront.country).toBe("NL");
    const address = { street: "Damrak 1", city: "Amsterdam", postal_code: "1012 LG" };
    expect((await to(address)).body.shipping_address).toEqual({ ...address, country: "NL" });
    expectRefusal(await to({ ...address, postal_code: "30000" }), 422, "VALIDATION_ERROR", {
      field: "shipping_address.postal_code",
    });
    const elsewhere = { ...address, postal_code: "30000", country: "MA" };
    expect((await to(elsewhere)).body.shipping_address).toEqual(elsewhere);

    for (const country of ["XX", "nl", "Netherlands", "", 31]) {
      const answer = await call("PUT", `/api/marketplaces/${marketplace.id}`, {
        as: operator,
        body: { settings: { business: { country } } },
      });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "settings.business.country" });
      const { error } = await supabaseAs(operator)
        .from("marketplaces")
        .update({ settings: { business: { country } } })
        .eq("id", marketplace.id);
      expect(JSON.parse(error?.details ?? "").field).toBe("settings.business.country");
    }
    await doBusiness(shop, { country: null });
    expect((await to({ street: "1", city: "Fez" })).body.shipping_address).toEqual({
      street: "1",
      city: "Fez",
    });
  });

  it("names a country of ISO 3166-1, in capital letters", async () => {
    for (const country of ["XX", "ZZ", "UK", "EU", "de", "DEU", "Germany", "D", 49, ["DE"]]) {
      const address = { street: "1 Market Street", city: "Fez", postal_code: "30000", country };
      const field = "shipping_address.country";
      const { customer } = testTenant;
      expectRefusal(await place(customer, orderTo(address)), 422, "VALIDATION_ERROR", { field });
      expect((await refusedByRpc(customer, address)).field).toBe(field);
    }
  });

  it("has up to three lines of street, and texts of bounded length", async () => {
    const { customer } = testTenant;
    const full = {
      name: "Gil Ōno",
      company: "Ōno & Co.",
      street: "Tower 3\n4th floor\n1 Market Street",
      city: "Fez",
      region: "Fès-Meknès",
      postal_code: "30000",
      country: "MA",
      phone: "+212 5 35 00 00 00",
      floor: 4,
    };
    const { shipping_address } = await placed(customer, lamp, 1, { shipping_address: full });
    expect(shipping_address).toEqual(full);
    // Blank lines and blank fields are left out.
    const sparse = {
      ...full,
      street: "Tower 3\r\n\r\n 1 Market Street\n",
      company: "",
      phone: null,
    };
    const { company, phone, ...rest } = full;
    expect(
      (await placed(customer, lamp, 1, { shipping_address: sparse })).shipping_address,
    ).toEqual({
      ...rest,
      street: "Tower 3\n 1 Market Street",
    });
    const wrong: [string, unknown][] = [
      ["street", "1\n2\n3\n4"],
      ["name", "x".repeat(201)],
      ["company", {}],
      ["region", 5],
      ["phone", "1".repeat(51)],
    ];
    for (const [name, value] of wrong) {
      const address = { ...full, [name]: value };
      const field = `shipping_address.${name}`;
      expectRefusal(await place(customer, orderTo(address)), 422, "VALIDATION_ERROR", { field });
      expect((await refusedByRpc(customer, address)).field).toBe(field);
    }
    const { id } = await placed(customer, lamp, 1, { shipping_address: full });
    const { error } = await supabaseAsService()
      .from("orders")
      .update({ shipping_address: { ...full, postal_code: "3" } })
      .eq("id", id);
    expect(JSON.parse(error?.details ?? "").field).toBe("shipping_address.postal_code");
  });
});

describe("an order", () => {
  it("has a billing address, by default the shipping address, and a tax number", async () => {
    const { customer, operator, supplier, marketplace } = testTenant;
    const plain = await placed(customer, lamp);
    expect(plain).toMatchObject({ billing_address: plain.shipping_address, tax_id: null });
    const billing_address = {
      company: "Ōno & Co.",
      street: "Damrak 1",
      city: "Amsterdam",
      postal_code: "1012 LG",
      country: "NL",
    };
    const invoiced = { billing_address, tax_id: "NL123456789B01" };
    for (const as of [customer, supplier, operator]) {
      const order = await placed(customer, lamp, 1, invoiced);
      expect(await getOrder(as, order)).toMatchObject({
        ...invoiced,
        shipping_address: plain.shipping_address,
      });
    }
    const { data } = await supabaseAs(customer)
      .rpc("place_order", orderFor(lamp, 1, invoiced))
      .throwOnError();
    expect(data).toMatchObject(invoiced);
    // Digital goods have no shipping address, and may have one for the invoice.
    const recipe = await listProduct(supplier, {
      kind: "digital",
      inventory: undefined,
      marketplace_id: marketplace.id,
    });
    expect(
      await placed(customer, recipe, 1, { ...invoiced, shipping_address: null }),
    ).toMatchObject({
      ...invoiced,
      shipping_address: null,
    });
    const wrong: [object, string][] = [
      [
        { billing_address: { ...billing_address, postal_code: "1" } },
        "billing_address.postal_code",
      ],
      [{ billing_address: { ...billing_address, country: "XX" } }, "billing_address.country"],
      [{ billing_address: { city: "Fez" } }, "billing_address.street"],
      [{ billing_address: "Fez" }, "billing_address"],
      [{ tax_id: " " }, "tax_id"],
      [{ tax_id: "1".repeat(51) }, "tax_id"],
    ];
    for (const [overrides, field] of wrong) {
      expectRefusal(await place(customer, orderFor(lamp, 1, overrides)), 422, "VALIDATION_ERROR", {
        field,
      });
      const { error } = await supabaseAs(customer).rpc("place_order", orderFor(lamp, 1, overrides));
      expect(JSON.parse(error?.details ?? "").field).toBe(field);
    }
    const { error } = await supabaseAsService()
      .from("orders")
      .update({ billing_address: { ...billing_address, postal_code: "1" } })
      .eq("id", plain.id);
    expect(JSON.parse(error?.details ?? "").field).toBe("billing_address.postal_code");
  });
});

describe("the countries", () => {
  it("are listed for visitors by name in their language, with what an address must have", async () => {
    const headers = headersOf({ to: testTenant.marketplace.domain });
    const listed = async (query: string) => {
      const answer = await call("GET", `/api/countries${query}`, { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toMatch(/^public/);
      return answer.body.countries;
    };
    const named = (list: Record_[], wanted: string) => list.find(({ code }) => code === wanted);
    const english = await listed("");
    expect(english).toHaveLength(250);
    expect(named(english, "US")).toEqual({
      code: "US",
      name: "United States",
      required: ["street", "city", "region", "postal_code"],
      labels: {
        street: "Street and number",
        city: "City",
        region: "State",
        postal_code: "ZIP code",
      },
      postal_code_example: "95014",
    });
    expect(named(english, "AE")).toMatchObject({
      required: ["street", "region"],
      labels: { street: "Street and number", region: "Emirate" },
      postal_code_example: null,
    });
    expect(named(english, "GB").labels.city).toBe("Post town");
    expect(named(english, "IE").labels.postal_code).toBe("Eircode");
    expect(named(english, "IN").labels.postal_code).toBe("PIN code");
    // A form shows the fields in the order of the country.
    expect(Object.keys(named(english, "DE").labels)).toEqual(["street", "postal_code", "city"]);
    const german = await listed("?language=de-AT");
    expect(named(german, "DE")).toMatchObject({ name: "Deutschland", labels: { city: "Ort" } });
    expect(german.map(({ name }: Record_) => name).slice(0, 3)).toEqual([
      "Afghanistan",
      "Ägypten",
      "Ålandinseln",
    ]);
    const arabic = await listed("?language=ar");
    expect(named(arabic, "JP")).toMatchObject({ name: "اليابان", labels: { region: "المحافظة" } });
    expect(named(await listed("?language=fr"), "DE")).toMatchObject({
      name: "Allemagne",
      labels: { city: "City" },
    });
    const refused = await call("GET", "/api/countries?language=german!", { headers });
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "language" });
  });

  it("are the same by rpc, and have an example that their own rule takes", async () => {
    const { data } = await supabaseAs({ visits: testTenant.marketplace.domain })
      .rpc("list_countries")
      .throwOnError();
    const rows: Record_[] = data.countries;
    expect(rows.map(({ code }) => code)).toEqual(countries.map(({ code }) => code).toSorted());
    for (const { code, required, postal_code_example } of rows) {
      const country = countries.find((one) => one.code === code);
      expect({ required, postal_code_example }).toEqual({
        required: country.required,
        postal_code_example: country.postal_code_example,
      });
      expect(Object.keys(country.labels)).toEqual(expect.arrayContaining(required));
    }
  });
});
