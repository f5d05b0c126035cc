import { afterAll, beforeAll, expect, it } from "vitest";
import { documentedOperations } from "../../scripts/document.js";
import { query } from "../database.js";
import { type Answer, call } from "../souk.js";
import { operationOf } from "../tenancy/expected.js";
import { addressOf, operations } from "../tenancy/operations.js";
import { makers, openTenantRecords, type TenantRecords } from "../tenancy/tenant-records.js";

// Every operation with which an admin changes a record writes to the audit log, under its own name.

/** The operations that write nothing to it, by their names. */
const SILENT: Record<string, string> = {
  "auth.addTenant": "the membership is one of another tenant",
  "auth.switchTenant": "changes the session",
  "auth.logout": "changes the session",
  "media.complete": "a worker changes the asset",
  "content.cancelSchedule": "nothing is scheduled",
  "content.merge": "the branch has no change",
  "checkouts.create": "a checkout reserves nothing and is deleted soon",
  "checkouts.replace": "a checkout reserves nothing and is deleted soon",
  "checkouts.cancel": "a checkout reserves nothing and is deleted soon",
  "orders.beginPayment": "a payment session has its actor, and the payment is audited",
  "templates.render": "reads",
  "emailTemplates.render": "reads",
  "emailTemplates.test": "sends a mail, which is in the log of mails",
  "search.semantic.post": "reads",
  "webhooks.test": "sends a delivery that is not logged",
  "placement.record": "events of a shop",
  "analytics.record": "events of a shop",
};

let tenantRecords: TenantRecords;

beforeAll(async () => {
  tenantRecords = await openTenantRecords("audited");
});

afterAll(() => tenantRecords?.receiver.close());

const names = new Map(
  (await documentedOperations()).map(({ name, operation }) => [name, operation.operationId]),
);

/** Calls an operation as the admin, with other texts than the record already has where it takes them. */
async function tryOperation(name: string): Promise<Answer> {
  const { uses, body, type } = operations[name] as (typeof operations)[string];
  const of = uses ? { ...tenantRecords, [uses]: await makers[uses](tenantRecords) } : tenantRecords;
  const { method, path } = addressOf(name, of);
  const headers: Record<string, string> = type ? { "content-type": type } : {};
  const sent = body?.(of);
  const as = of.people.admin;
  if (sent !== undefined && typeof sent !== "string") {
    const other = JSON.parse(JSON.stringify(sent).replaceAll(of.mark, `${of.mark} x`));
    const answer = await call(method, path, { as, body: other, headers });
    if (answer.status < 300) return answer;
  }
  return call(method, path, { as, body: sent, headers });
}

it("has the changes of every operation", async () => {
  const silent = new Set<string>();
  const heard = new Set<string>();
  for (const [use, { open }] of Object.entries(operations)) {
    if (use.startsWith("GET ") || open) continue;
    const name = names.get(operationOf(use)) as string;
    const { status } = await tryOperation(use);
    if (status >= 300) continue;
    const written = await query(
      "select from public.audit_log where tenant_id = $1 and operation = $2 and actor = 'admin' limit 1",
      [tenantRecords.tenantId, name],
    );
    (written.length > 0 ? heard : silent).add(name);
  }
  expect([...silent].sort()).toEqual(Object.keys(SILENT).sort());
  expect(heard.size).toBeGreaterThan(80);
});
