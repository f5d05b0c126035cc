import { mkdir, readFile, writeFile } from "node:fs/promises";
import axe from "axe-core";
import { JSDOM, VirtualConsole } from "jsdom";
import { describe, expect, it } from "vitest";
import { BUILT_IN, type BuiltInKey } from "../../supabase/functions/_shared/mail/built_in/index.ts";
import {
  checkMailTexts,
  type MadeMail,
} from "../../supabase/functions/_shared/mail/render_mail.ts";
import { LANGUAGES } from "../../supabase/functions/_shared/values/languages.ts";
import { mailOf, marketplace } from "./rendered.js";

// Golden files of the built-in mails. After an intended change, write them again with UPDATE_GOLDEN=1, and check the
// difference.

const KEYS = Object.keys(BUILT_IN) as BuiltInKey[];
const mails = KEYS.flatMap((key) => LANGUAGES.map((language) => [key, language] as const));

const sampleOf = (key: BuiltInKey, language: string): Promise<MadeMail> =>
  mailOf({
    key,
    languages: [language],
    variables: BUILT_IN[key].sample,
    unsubscribeUrl: BUILT_IN[key].isOptional ? "https://amber.example/unsubscribe/token" : null,
  });

async function expectGolden(name: string, text: string): Promise<void> {
  const file = new URL(`golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN) {
    await mkdir(new URL(".", file), { recursive: true });
    await writeFile(file, text);
  }
  expect(text).toBe(await readFile(file, "utf8"));
}

async function findingsIn(html: string): Promise<string[]> {
  const { window } = new JSDOM(html, {
    runScripts: "outside-only",
    virtualConsole: new VirtualConsole(),
  });
  window.eval(axe.source);
  const run = (window as unknown as { axe: typeof axe }).axe.run;
  const { violations } = await run(window.document, {
    // There is no rendering, so contrast cannot be checked. A mail has no landmarks, because it is part of the mail
    // program's page.
    rules: {
      "color-contrast": { enabled: false },
      region: { enabled: false },
      "landmark-one-main": { enabled: false },
    },
  });
  window.close();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

describe.each(mails)("%s in %s", (key, language) => {
  it("equals its golden file", async () => {
    const { html, text, subject, error } = await sampleOf(key, language);
    expect(error).toBeNull();
    await expectGolden(`${key}.${language}.txt`, `${subject}\n\n${text}\n${html}\n`);
  });

  it("declares its language and direction", async () => {
    const { html, rtl } = await sampleOf(key, language);
    const { document } = new JSDOM(html).window;
    const written = { lang: language, dir: language === "ar" ? "rtl" : "ltr" };
    expect(document.documentElement).toMatchObject(written);
    expect(document.body.firstElementChild).toMatchObject(written);
    expect(rtl).toBe(language === "ar");
    expect(document.title).not.toBe("");
    for (const table of document.querySelectorAll("table:not(.items):not(.facts)")) {
      expect(table.getAttribute("role")).toBe("presentation");
    }
  });

  it.each([
    ["there are no variables", {}],
    [
      "all variables are null",
      {
        order: null,
        customer: null,
        user: null,
        product: null,
        inventory: null,
        campaign: null,
        export: null,
        invitation: null,
        webhook: null,
        payment: null,
        payout: null,
      },
    ],
    [
      "nested variables are null",
      {
        order: {
          number: null,
          items: null,
          total_amount: null,
          currency: null,
          shipping_address: null,
          cancellation: null,
        },
        customer: { name: null, email: null },
        campaign: { product_name: null, start_date: null, daily_budget: null, note: null },
        export: { type: null, url: null, rows: null, expires_at: null },
        invitation: { role: null, token: null, url: null },
        payment: { amount: null, currency: null },
        payout: { amount: null, currency: null, reference: null, paid_at: null },
        inventory: { available: null },
        product: {},
        user: {},
        webhook: {},
      },
    ],
    [
      "all is odd",
      {
        order: {
          items: [null, {}, 5, { name: {}, amount: "x" }],
          total_amount: {},
          shipping_address: "x",
          number: [],
        },
        customer: { name: 5 },
        user: "you",
      },
    ],
  ])("shows no null when %s", async (_, variables) => {
    const { html, text, subject, error } = await mailOf({
      key,
      languages: [language],
      marketplace: null,
      tenant: { name: "" },
      variables,
    });
    expect(error).toBeNull();
    expect(subject).not.toBe("");
    for (const part of [html, text, subject]) {
      expect(part).not.toMatch(/\b(?:null|undefined|NaN|\[object|Invalid)\b|\{\{|\{%/);
    }
  });
});

// In one language only: the check is slow, and the other languages have the same elements.
it.each(KEYS)("%s has no accessibility problems that axe finds", async (key) => {
  expect(await findingsIn((await sampleOf(key, "ar")).html)).toEqual([]);
});

it.each(KEYS)("%s is a valid mail for tenants, too", async (key) => {
  const { texts, sample } = BUILT_IN[key];
  expect(() => checkMailTexts(texts)).not.toThrow();
  const copied = await mailOf({ key: "another", own: texts, variables: sample });
  const { html, subject } = await mailOf({ key, variables: sample });
  expect(copied).toMatchObject({ html, subject, error: null });
});

it("only optional mails can be disabled", () => {
  expect(KEYS.filter((key) => BUILT_IN[key].isOptional)).toEqual([
    ...["supplier_order_placed", "operator_order_placed"],
    ...["welcome", "application_received", "product_decided", "low_stock"],
  ]);
});

it("no mail exceeds the size that mail programs show, whatever was ordered", async () => {
  const name = "<'🧺'>".repeat(100);
  const items = Array.from({ length: 2000 }, () => ({ name, quantity: 9999, amount: "123456.78" }));
  const order = {
    ...{ number: 1, currency: "EUR", note: name.repeat(1000), refund_due: 5 },
    ...{ total_amount: 5, owed_amount: 5, cancelled_amount: 5, returned_amount: 5, lost_amount: 5 },
    ...{ items, sent_items: items, cancelled_items: items, returned_items: items },
    lost_items: items,
  };
  const payment = { amount: 5, currency: "EUR", items };
  const variables = { order, payment, customer: { name: name.repeat(1000) } };
  for (const [key, language] of mails) {
    const { html, text, error } = await mailOf({ key, languages: [language], variables });
    expect(error, key).toBeNull();
    expect(Buffer.byteLength(html) + Buffer.byteLength(text), key).toBeLessThanOrEqual(90_000);
  }
});

it.each([
  ["en", "United Arab Emirates"],
  ["de", "Vereinigte Arabische Emirate"],
  ["ar", "الإمارات العربية المتحدة"],
])("shows all lines of an address, and its country by name, in %s", async (language, country) => {
  const street = "Tower 3\n4th floor\n1 Creek Road";
  const shipping_address = {
    name: "Gil",
    company: "Amber & Co.",
    street,
    region: "Dubai",
    country: "AE",
  };
  const { html, text } = await mailOf({
    key: "order_placed",
    languages: [language],
    variables: { order: { number: 1, shipping_address } },
  });
  const lines = ["Gil", "Amber & Co.", "Tower 3", "4th floor", "1 Creek Road", "Dubai", country];
  expect(text).toContain(lines.join("\n"));
  expect(html).toContain(
    lines.map((line) => `<br><bdi>${line.replace("&", "&amp;")}</bdi>`).join(""),
  );
});

it.each([
  ["en", "Billing address", "Tax number"],
  ["de", "Rechnungsadresse", "Steuernummer"],
  ["ar", "عنوان الفاتورة", "الرقم الضريبي"],
])("shows the address of the invoice if it is another one, and the tax number, in %s", async (language, title, number) => {
  const shipping_address = { street: "Damrak 1", city: "Amsterdam", country: "NL" };
  const billing_address = { ...shipping_address, company: "Ōno & Co.", street: "Keizersgracht 2" };
  const mailTo = (order: object) =>
    mailOf({
      key: "order_placed",
      languages: [language],
      variables: { order: { number: 1, ...order } },
    });
  const { html, text } = await mailTo({
    shipping_address,
    billing_address,
    tax_id: "NL123456789B01",
  });
  for (const line of [title, "Ōno & Co.", "Keizersgracht 2", number, "NL123456789B01"]) {
    expect(text).toContain(line);
    expect(html).toContain(line.replace("&", "&amp;"));
  }
  // Digital goods have this address only.
  const digital = await mailTo({ shipping_address: null, billing_address });
  expect(digital.text).toContain("Keizersgracht 2");
  for (const { text } of [
    await mailTo({ shipping_address, billing_address: shipping_address, tax_id: null }),
    await mailTo({ shipping_address }),
  ]) {
    expect(text).toContain("Damrak 1");
    expect(text).not.toContain(title);
    expect(text).not.toContain(number);
  }
});

it("shows the marketplace's colour, logo and address", async () => {
  const settings = { branding: { logo_url: "/logo.png", colors: { primary: "#ffff00" } } };
  const { html } = await mailOf({ marketplace: { ...marketplace, settings } });
  expect(html).toContain('src="https://amber.example/logo.png" alt="Amber &amp; Oak"');
  expect(html).toContain("background-color:#ffff00;color:#000000");
  expect(html).toContain('href="https://amber.example"');
});

it.each([
  ["javascript:alert(1)", "red;background:url(//x)"],
  ["//elsewhere.example/x.png", "#7c3ae"],
  ["data:image/png;base64,AA", { toString: "#000000" }],
])("accepts neither the logo %s nor the colour %s", async (logo_url, primary) => {
  const settings = { branding: { logo_url, colors: { primary } } };
  const domain = "amber.example/../<script>";
  const { html } = await mailOf({ marketplace: { ...marketplace, domain, settings } });
  expect(html).not.toMatch(/<img|elsewhere|javascript|<script|url\(|href=/);
  expect(html).toContain("background-color:#0f766e;color:#ffffff");
});

it("has an unsubscribe link if it is optional", async () => {
  const unsubscribeUrl = "https://amber.example/unsubscribe/t?a=1&b=2";
  const { html, text } = await mailOf({ key: "welcome", languages: ["de"], unsubscribeUrl });
  expect(html).toContain('href="https://amber.example/unsubscribe/t?a=1&amp;b=2"');
  expect(text).toContain(`Diese E-Mails abbestellen [${unsubscribeUrl}]`);
  expect((await mailOf({ key: "welcome" })).text).not.toContain("nsubscribe");
});
