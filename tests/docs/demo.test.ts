import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { ownStack } from "../own-stack.js";
import { programOf } from "../programs.js";

/** Runs the demo. */
async function demo(args: string[], environment: Record<string, string> = {}) {
  const { SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, WEBHOOK_URL, WEBHOOK_PORT, ...rest } =
    process.env;
  const child = spawn(process.execPath, [programOf("scripts/demo.ts"), ...args], {
    env: { ...rest, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

function running(): Record<string, string> {
  const { url, publishable_key, mailpit_url } = ownStack;
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEY: publishable_key,
    MAILPIT_URL: mailpit_url,
  };
}

describe("npm run demo", () => {
  test("completes a first sale and an order of two suppliers, and prints them in order", async () => {
    const { code, out, err } = await demo([], running());
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const story = [
      /operator +POST \/auth\/register +201 +admin of tenant/,
      /operator +POST \/api\/marketplaces +201 +"Medina" is a draft/,
      /operator +PUT \/api\/marketplaces\/\w{8}… +200 +"Medina" is active/,
      /operator +POST \/api\/webhooks +201 +order\.created, payment\.succeeded to http:\/\/127\.0\.0\.1:\d+\/hook/,
      /operator +websocket \/realtime\/v1 +ok +listens/,
      /supplier +POST \/auth\/register +201 +supplier of tenant/,
      /supplier +POST \/api\/products +201 +Brass lantern, 49\.00 EUR, 5 in stock, 0 reserved/,
      /customer +POST \/auth\/register +201 +customer of tenant/,
      /customer +GET \/api\/products\?search=lantern +200 +1 found: Brass lantern/,
      /customer +POST \/api\/orders +201 +order \w{8}… is pending, 98\.00 EUR/,
      /operator +websocket \/realtime\/v1 +ok +hears INSERT: order \w{8}… is pending/,
      /receiver +POST \/hook +204 +order\.created: order \w{8}…, 98\.00 EUR, signature verified/,
      /supplier +GET \/api\/products\/\w{8}… +200 +Brass lantern: 5 in stock, 2 reserved/,
      /operator +GET \/api\/mails\/\w{8}… +200 +".+" is sent to customer-…@example\.com/,
      /customer +mail +ok +reads ".+" at http:\/\/127\.0\.0\.1:\d+\/view\/\w+/,
      /operator +POST \/api\/orders\/\w{8}…\/payments +201 +98\.00 EUR, the order is paid/,
      /operator +websocket \/realtime\/v1 +ok +hears UPDATE: order \w{8}… is pending, its payment paid/,
      /receiver +POST \/hook +204 +payment\.succeeded: order \w{8}…, 98\.00 EUR, signature verified/,
      /supplier +PATCH \/api\/orders\/\w{8}…\/status +200 +pending → shipped/,
      /operator +websocket \/realtime\/v1 +ok +hears UPDATE: order \w{8}… is shipped/,
      /supplier +GET \/api\/products\/\w{8}… +200 +Brass lantern: 3 in stock, 0 reserved/,
      /^Sold\.$/,
      /operator +PUT \/api\/marketplaces\/\w{8}… +200 +10 % commission, 4\.00 EUR delivery per supplier/,
      /operator +POST \/api\/suppliers +201 +Rif Weavers, verified/,
      /operator +POST \/auth\/invitations +201 +a supplier of Rif Weavers/,
      /weaver +POST \/auth\/register +201 +supplier of tenant/,
      /customer +POST \/api\/orders +201 +3 parts: 58\.20 EUR, and 12\.00 EUR for delivery/,
      /operator +POST \/api\/orders\/\w{8}…\/payments +201 +70\.20 EUR paid, the order is paid/,
      /supplier +POST \/api\/orders\/\w{8}…\/shipments +201 +6 pieces by Caravan, the order is processing/,
      /weaver +POST \/api\/orders\/\w{8}…\/shipments +201 +1 piece by Caravan, the order is processing/,
      /operator +POST \/api\/orders\/\w{8}…\/shipments +201 +1 piece by Caravan, the order is shipped/,
      /operator +PATCH …\/shipments\/\w{8}… +200 +CV 1003 is delivered, the order is delivered/,
      /customer +POST \/api\/orders\/\w{8}…\/return-requests +201 +1 piece requested: "It is chipped\."/,
      /supplier +POST …\/return-requests\/\w{8}…\/approve +200 +approved/,
      /supplier +POST …\/return-requests\/\w{8}…\/receive +200 +received, not restocked/,
      /operator +POST \/api\/orders\/\w{8}…\/payments +201 +6\.20 EUR refunded, the order is paid/,
      /operator +GET \/api\/orders\/\w{8}… +200 +delivered, 0\.00 EUR to give back/,
      /^Atlas Crafts: 31\.90 EUR$/,
      /^Rif Weavers: 20\.20 EUR$/,
      /^Delivered\.$/,
    ];
    const lines = out.split("\n");
    let from = 0;
    for (const pattern of story) {
      const at = lines.findIndex((line, i) => i >= from && pattern.test(line));
      expect(at, `${pattern} after line ${from} of:\n${out}`).toBeGreaterThanOrEqual(from);
      from = at + 1;
    }
    // The output goes to a pipe here, so it has no colours.
    expect(out).not.toContain("\u001b");
  });

  test("explains how to start the stack when there is no answer", async () => {
    // A port that was free a moment ago.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));

    const { code, out, err } = await demo([], { SUPABASE_URL: `http://127.0.0.1:${port}` });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.trim()).toBe(
      `The demo stopped: nothing answers at http://127.0.0.1:${port}: start it with \`npm start\``,
    );
  });

  test("stops at the first unexpected answer", async () => {
    const server = createServer((request, response) => {
      const isAskedFirst = request.url?.endsWith("/openapi.json");
      response
        .writeHead(isAskedFirst ? 200 : 500, { "content-type": "application/json" })
        .end(isAskedFirst ? "{}" : '{"error":{"code":"INTERNAL_ERROR"}}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const { code, out, err } = await demo([], { SUPABASE_URL: `http://127.0.0.1:${port}` });
      expect(code).toBe(1);
      expect(out).not.toContain("Sold.");
      expect(err).toContain("operator: POST /auth/register answered 500, not 201");
      expect(err).toContain("INTERNAL_ERROR");
    } finally {
      server.close();
    }
  });

  test("needs the key of a hosted project", async () => {
    const { code, err } = await demo([], { SUPABASE_URL: "https://abc.supabase.test" });
    expect(code).toBe(1);
    expect(err).toContain("SUPABASE_PUBLISHABLE_KEY");
  });

  test("--help lists its settings", async () => {
    const { code, out } = await demo(["--help"]);
    expect(code).toBe(0);
    expect(out).toContain("WEBHOOK_URL");
  });

  test("refuses an unknown flag and prints its usage", async () => {
    const { code, out, err } = await demo(["--fast"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("--fast");
    expect(err).toContain("npm run demo");
  });
});
