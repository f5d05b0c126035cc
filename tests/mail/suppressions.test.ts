import { createHmac, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { reportsIn } from "../../supabase/functions/_shared/mail/resend_reports.js";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  must,
  openMarketplace,
  type Person,
  register,
  supabaseAsService,
} from "../souk.js";
import { mailTo, sentMail } from "./mailbox.js";

// Addresses that get no more mails: after unsubscribing, complaints, and permanent bounces.

let operator: Person;

beforeAll(async () => {
  operator = await register({ tenant_name: "Bazaar" });
  await openMarketplace(operator, { name: "Bazaar <of> spices", language: "de" });
});

/** A new member who has got the welcome mail, and the link to unsubscribe. */
async function welcomed(): Promise<{ email: string; link: string }> {
  const { email } = await register({ tenant_id: operator.tenantId });
  const { ListUnsubscribe } = await mailTo(operator, email, "welcome");
  expect(ListUnsubscribe.HeaderPost).toBe("List-Unsubscribe=One-Click");
  return { email, link: ListUnsubscribe.Links[0] };
}

const write = (email: string, template = "welcome") =>
  query(
    `select private.write_mail($1, gen_random_uuid(), $2, array[private.recipient($2, $3, '', null, null)], '{}')`,
    [template, operator.tenantId, email],
  );
const suppressionsOf = async (email: string) =>
  (await must("GET", `/api/mails/suppressions?email=${email}`, { as: operator })).suppressions;

describe("an unsubscribe link", () => {
  it("shows a page, which changes nothing", async () => {
    const { email, link } = await welcomed();
    const page = await fetch(link, { headers: { accept: "text/html" } });
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("application/xhtml+xml");
    const text = await page.text();
    expect(text).toContain('<form method="post">');
    expect(text).toContain('lang="de"');
    expect(text).toContain("Bazaar &lt;of&gt; spices");
    expect(await suppressionsOf(email)).toEqual([]);
  });

  it("works with one click, for its address and that kind only", async () => {
    const { email, link } = await welcomed();
    const answer = await fetch(link, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ email, template: "welcome", unsubscribed: true });
    const [suppression] = await suppressionsOf(email);
    expect(suppression).toMatchObject({ email, template: "welcome", reason: "unsubscribed" });
    await query('delete from public.mails where "to" = $1', [email]);
    await write(email);
    expect(await sentMail(operator, `to=${email}`)).toMatchObject({ status: "suppressed" });
    await write(email, "order_cancelled");
    expect(await sentMail(operator, `to=${email}&template=order_cancelled`)).toMatchObject({
      status: "success",
    });
    await must("DELETE", `/api/mails/suppressions/${suppression.id}`, { as: operator });
    await query('delete from public.mails where "to" = $1', [email]);
    await write(email);
    expect(await sentMail(operator, `to=${email}`)).toMatchObject({ status: "success" });
  });

  it("shows the page again after the button was used in a browser", async () => {
    const { link } = await welcomed();
    const page = await fetch(link, { method: "POST", headers: { accept: "text/html" } });
    // Another site that shows the page in a frame could get a click on its button.
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const text = await page.text();
    expect(text).toContain("keine E-Mails dieser Art mehr");
    expect(text).not.toContain("<form");
  });

  it("does not work with a guessed or changed token", async () => {
    const { email, link } = await welcomed();
    const token = link.split("/").at(-1) as string;
    const [payload, seal] = token.split(".") as [string, string];
    const other = Buffer.from(payload, "base64url").toString().replace(email, operator.email);
    const forged = [
      `${Buffer.from(other).toString("base64url")}.${seal}`,
      `${payload}.${"A".repeat(43)}`,
      `${payload}.${seal}x`,
      "x",
      `${"/".repeat(40)}.${seal}`,
      `${Buffer.from([0xff, 0xfe, ...Buffer.from(other)]).toString("base64url")}.${seal}`,
    ];
    for (const each of forged) {
      for (const method of ["GET", "POST"]) {
        const path = `/api/mails/unsubscribe/${encodeURIComponent(each)}`;
        expectRefusal(await call(method, path, {}), 404, "NOT_FOUND");
      }
    }
    expect(await suppressionsOf(operator.email)).toEqual([]);
  });
});

describe("a provider's report", () => {
  const secret = `whsec_${Buffer.from("a secret that Resend knows").toString("base64")}`;
  const sealed = (body: object, at = Math.floor(Date.now() / 1000)) => {
    const text = JSON.stringify(body);
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const seal = createHmac("sha256", key).update(`msg_1.${at}.${text}`).digest("base64");
    return [
      text,
      { "svix-id": "msg_1", "svix-timestamp": String(at), "svix-signature": `v1,${seal}` },
    ] as const;
  };
  const bounced = (type: string) => ({
    type: "email.bounced",
    data: { email_id: "re_1", to: ["gone@example.com"], bounce: { type } },
  });

  it("about a permanent bounce or a complaint contains the address", () => {
    process.env.RESEND_WEBHOOK_SECRET = secret;
    const gone = { provider_id: "re_1", email: "gone@example.com" };
    expect(reportsIn(...sealed(bounced("Permanent")))).toEqual([{ ...gone, reason: "bounce" }]);
    expect(reportsIn(...sealed(bounced("Transient")))).toEqual([]);
    const complained = { type: "email.complained", data: { email_id: "re_1", to: [gone.email] } };
    expect(reportsIn(...sealed(complained))).toEqual([{ ...gone, reason: "complaint" }]);
    expect(reportsIn(...sealed({ type: "email.opened", data: {} }))).toEqual([]);
  });

  it("is refused if it is forged, changed or old", () => {
    process.env.RESEND_WEBHOOK_SECRET = secret;
    const [text, headers] = sealed(bounced("Permanent"));
    expect(() => reportsIn(text.replace("gone", "else"), headers)).toThrow();
    expect(() => reportsIn(text, {})).toThrow();
    expect(() => reportsIn(...sealed(bounced("Permanent"), 1_700_000_000))).toThrow();
  });

  it("is refused by a project without a webhook secret", async () => {
    const [body, headers] = sealed(bounced("Permanent"));
    const answer = await call("POST", "/api/mails/webhooks/resend", {
      body: JSON.parse(body),
      headers,
    });
    expectRefusal(answer, 401, "UNAUTHORIZED");
  });

  it("stops mails of that tenant to the address", async () => {
    const email = `${randomUUID()}@example.com`;
    await write(email);
    const { id } = await sentMail(operator, `to=${email}`);
    const provider_id = randomUUID();
    await query("update public.mails set provider_id = $1 where id = $2", [provider_id, id]);
    const report = (address: string) =>
      supabaseAsService().rpc("report_mail", { provider_id, email: address, reason: "complaint" });
    expect((await report("somebody-else@example.com")).data).toBe(false);
    expect((await report(email)).data).toBe(true);
    expect(await suppressionsOf(email)).toMatchObject([{ template: null, reason: "complaint" }]);
    await write(email, "order_cancelled");
    expect(await sentMail(operator, `to=${email}&template=order_cancelled`)).toMatchObject({
      status: "suppressed",
    });
  });
});
