import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { query } from "../database.js";
import { eventuallyNone } from "../eventually.js";
import { openPlace } from "../place.js";
import { type Person, register, stackInUse, useStack } from "../souk.js";
import { type RunningStack, startStack } from "../stack.js";
import { openSmtpReceiver, type Taken } from "./smtp-receiver.js";

// A dispatcher that is killed between sending and recording, and two others that send the rest.

const MAILS = 60;
const run = randomUUID();

let stack: RunningStack;
let drop = async () => {};
let operator: Person;
let receiver: Awaited<ReturnType<typeof openSmtpReceiver>>;
let took: (mail: Taken) => void = () => {};
const children: ChildProcess[] = [];

beforeAll(async () => {
  const place = await openPlace();
  drop = place.drop;
  // Without a dispatcher of its own, which a mail of the seed may wake late.
  stack = await startStack(place.options, { functions: ["api", "auth"] });
  useStack(stack);
  operator = await register({ tenant_name: "Bazaar" });
  await query("select public.set_mails_per_day($1, 1000)", [operator.tenantId]);
  receiver = await openSmtpReceiver((mail) => took(mail));
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await receiver.close();
  useStack(undefined);
  await stack?.stop();
  await drop();
});

function startDispatcher(): ChildProcess {
  const { url, service_role_key } = stackInUse();
  const child = spawn(process.execPath, ["--import", "tsx", "tests/mail/dispatcher-child.ts"], {
    env: {
      ...process.env,
      SUPABASE_URL: url,
      SUPABASE_SERVICE_ROLE_KEY: service_role_key,
      MAIL_URL: receiver.url,
      MAIL_FROM: "shop@example.com",
    },
    stdio: "inherit",
  });
  children.push(child);
  return child;
}

/** Ends all leases, and makes all mails due. */
const passTime = () =>
  query(
    "update private.jobs set due_at = now(), lease = null, leased_until = null where tenant_id = $1",
    [operator.tenantId],
  );

it("a crash and two dispatchers send each mail once, and one at most twice, with the same content", async () => {
  await query(
    `insert into public.mails (tenant_id, template, cause_id, "to", name, languages, next_attempt_at)
     select $1, 'welcome', gen_random_uuid(), $2 || '-' || n || '@example.com', 'Reader ' || n, '{en}', now() + interval '1 hour'
     from generate_series(1, ${MAILS}) as n`,
    [operator.tenantId, run],
  );
  await passTime();
  const first = startDispatcher();
  const killed = once(first, "exit");
  took = () => {
    if (receiver.taken.length === 20) first.kill("SIGKILL");
  };
  await killed;
  took = () => {};
  await passTime();
  startDispatcher();
  startDispatcher();
  await eventuallyNone(async () => {
    const left = await query(
      "select from public.mails where tenant_id = $1 and status <> 'success'",
      [operator.tenantId],
    );
    return left.length;
  });
  const sources = new Map<string, string[]>();
  for (const { to, source } of receiver.taken.filter(({ to }) => to.startsWith(run))) {
    sources.set(to, [...(sources.get(to) ?? []), source]);
  }
  expect(sources.size).toBe(MAILS);
  const twice = [...sources.values()].filter(({ length }) => length > 1);
  expect(twice.length).toBeLessThanOrEqual(1);
  for (const [one, other] of twice) expect(partsOf(other)).toEqual(partsOf(one));
});

/** The Message-ID and the body of a mail. */
function partsOf(source = "") {
  const [head = "", ...body] = source.split("\r\n\r\n");
  const id = /^Message-ID: .*$/im.exec(head)?.[0];
  // Each attempt has another boundary between the parts.
  const boundary = /boundary="([^"]*)"/.exec(head)?.[1] ?? "";
  return { id, body: body.join("\r\n\r\n").replaceAll(boundary, "boundary") };
}
