// Signs and posts `COUNT` deliveries without a database, leases or records. Runs in Deno, like the
// dispatcher.
//
//   deno run bare.ts fetch|send URLS SECRET BODY COUNT AT_ONCE
//
// Prints the duration in ms. URLS is a list in JSON, used in turn. `fetch` is a plain fetch, `send` is the dispatcher's
// function, which looks names up and checks the addresses.
import { randomUUID } from "node:crypto";
import process from "node:process";
import { type Outgoing, send } from "../../supabase/functions/_shared/webhooks/send.ts";
import { signedHeaders } from "../../supabase/functions/_shared/webhooks/sign.ts";

const [kind, urls, secret, body, count, atOnce] = process.argv.slice(2) as string[] & { length: 6 };
const receivers = JSON.parse(urls as string) as string[];

async function byFetch({ url, body, ...outgoing }: Outgoing): Promise<string | null> {
  const response = await fetch(url, {
    method: "POST",
    headers: signedHeaders({ ...outgoing, body }, new Date()),
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(10_000),
  });
  await response.text();
  return response.ok ? null : `the receiver answered ${response.status}`;
}

const post =
  kind === "fetch"
    ? byFetch
    : async (outgoing: Outgoing) => (await send(outgoing, { mayReachLoopback: true })).error;

/** Measures the duration of `count` deliveries in ms. */
async function postAll(many: number): Promise<number> {
  let sent = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: Number(atOnce) }, async () => {
      while (sent < many) {
        const error = await post({
          id: randomUUID(),
          event: "product.updated",
          url: receivers[sent++ % receivers.length] as string,
          body: body as string,
          secrets: [secret as string],
        });
        if (error) throw new Error(error);
      }
    }),
  );
  return performance.now() - begun;
}

// Warms up: a dispatcher in production is compiled and connected.
await postAll(Number(count) / 2);
console.log(await postAll(Number(count)));
process.exit();
