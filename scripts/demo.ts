import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ConfigError } from "../packages/stack/src/config.js";
import { type Listener, listenToOrders } from "./demo/listener.js";
import { playMixedOrder } from "./demo/mixed-order.js";
import { createPrinter, money, short } from "./demo/printer.js";
import {
  type Answer,
  createCall,
  DemoStopped,
  expect,
  findProject,
  findProjectUp,
  type Person,
  type Project,
  within,
} from "./demo/project.js";
import { isSigned, openReceiver, type Receiver } from "./demo/receiver.js";

const usage = `Plays a first sale against a running Souk, and an order of two suppliers until it is delivered,
and prints each step.

  npm run demo

Without settings it uses the local stack that \`npm start\` runs. Each time it creates a new
tenant, and keeps it for inspection.

  SUPABASE_URL              another project, such as https://<ref>.supabase.co
  SUPABASE_PUBLISHABLE_KEY  its publishable key, or the legacy anon key
  WEBHOOK_URL               a public address that leads to port WEBHOOK_PORT of this machine (a
                            tunnel): a hosted project cannot reach this machine otherwise, and the
                            webhook of the demo is skipped
  WEBHOOK_PORT              default 8787
  MAILPIT_URL               the mailbox of a local stack on another port, as the stack prints it
  NO_COLOR                  no colours

  --help                    prints this

A hosted project must not require e-mail confirmation: the demo's addresses have no mailbox.
`;

/** Timeout for messages of Realtime and for webhooks. */
const TIMEOUT_MS = 30_000;
const SKIPPED = "-";

const printer = createPrinter();

async function play(project: Project): Promise<void> {
  await findProjectUp(project);
  const call = createCall(project, printer);
  printer.plain(`A first sale, at ${project.url}/functions/v1`);

  const operator: Person = { who: "operator" };
  const supplier: Person = { who: "supplier" };
  const customer: Person = { who: "customer" };

  async function register(person: Person, fields: object): Promise<string> {
    const session = await call(
      person,
      "POST",
      "/auth/register",
      201,
      ({ user }) => `${user.role} of tenant ${short(user.tenant_id)}`,
      { email: `${person.who}-${randomUUID()}@example.com`, password: randomUUID(), ...fields },
    );
    expect(
      typeof session.access_token === "string",
      "this project requires e-mail confirmation: switch it off to play the demo",
    );
    person.token = session.access_token;
    return session.user.tenant_id;
  }

  printer.heading("The operator opens a marketplace");
  const tenantId = await register(operator, { tenant_name: "Medina", name: "Olu" });
  const { id: marketplaceId } = await call(
    operator,
    "POST",
    "/api/marketplaces",
    201,
    ({ name, status }) => `"${name}" is a ${status}`,
    {
      name: "Medina",
      category: "crafts",
      currency: "EUR",
      language: "en",
      domain: `${randomUUID()}.example.com`,
    },
  );
  const opened = await call(
    operator,
    "PUT",
    `/api/marketplaces/${marketplaceId}`,
    200,
    ({ name, status }) => `"${name}" is ${status}`,
    { status: "active" },
  );
  expect(opened.status === "active", `the marketplace is ${opened.status}, not active`);

  printer.heading("The operator asks to be told of orders");
  const hook = await openHook(project);
  try {
    let secret = "";
    if (hook) {
      const webhook = await call(
        operator,
        "POST",
        "/api/webhooks",
        201,
        ({ events, url }) => `${events.join(", ")} to ${url}`,
        { url: hook.publicUrl, events: ["order.created", "payment.succeeded"] },
      );
      secret = webhook.secret;
    } else {
      printer.line("operator", "POST /api/webhooks", SKIPPED, WHY_SKIPPED);
    }
    const orders = await within(
      TIMEOUT_MS,
      listenToOrders(project, operator.token as string, tenantId),
      "Realtime did not answer the subscription in time",
    );
    printer.line("operator", "websocket /realtime/v1", "ok", "listens to the tenant's orders");

    printer.heading("An invited supplier lists products");
    const email = `supplier-${randomUUID()}@example.com`;
    const { token: invitation } = await call(
      operator,
      "POST",
      "/auth/invitations",
      201,
      ({ role }) => `a ${role} is invited`,
      { email, role: "supplier" },
    );
    await register(supplier, { email, invitation, name: "Atlas Crafts" });
    for (const [name, price, quantity] of [
      ["Brass lantern", 49, 5],
      ["Wool rug", 240, 2],
      ["Tea glass", 6.2, 60],
    ] as const) {
      await call(
        supplier,
        "POST",
        "/api/products",
        201,
        (product) => `${product.name}, ${money(product.price, product)}, ${stock(product)}`,
        { marketplace_id: marketplaceId, name, price, inventory: { quantity } },
      );
    }

    printer.heading("A customer finds one and orders it");
    await register(customer, { tenant_id: tenantId, name: "Cleo" });
    const { products } = await call(
      customer,
      "GET",
      "/api/products?search=lantern",
      200,
      ({ products, total }) => `${total} found: ${products.map((p: Answer) => p.name).join(", ")}`,
    );
    const [lantern] = products;
    expect(products.length === 1 && lantern.name === "Brass lantern", "the search found otherwise");
    const order = await call(
      customer,
      "POST",
      "/api/orders",
      201,
      (o) => `order ${short(o.id)} is ${o.status}, ${money(o.total_amount, o)}`,
      {
        marketplace_id: marketplaceId,
        items: [{ product_id: lantern.id, quantity: 2, price: lantern.price }],
        shipping_address: { street: "1 Market Street", city: "Fez", postal_code: "30000" },
      },
    );
    expect(order.total_amount === 98, `two lanterns cost ${order.total_amount}, not 98`);

    printer.heading("Everybody concerned hears of it");
    await expectChange(orders, order, "INSERT", "pending", "pending");
    if (hook) await receiveOrder(hook.receiver, "order.created", order, secret);
    else printer.line("receiver", "POST webhook", SKIPPED, WHY_SKIPPED);
    await checkStock(lantern.id, 5, 2);
    // A hosted project may have no mail server.
    if (project.local) await readMail("order_placed");

    printer.heading("The money comes in");
    await call(
      operator,
      "POST",
      `/api/orders/${order.id}/payments`,
      201,
      (payment) => `${money(payment.amount, payment)}, the order is ${payment.payment_status}`,
      { status: "paid", amount: order.total_amount, reference: "Bank transfer 1" },
    );
    await expectChange(orders, order, "UPDATE", "pending", "paid");
    if (hook) await receiveOrder(hook.receiver, "payment.succeeded", order, secret);
    else printer.line("receiver", "POST webhook", SKIPPED, WHY_SKIPPED);

    printer.heading("The supplier ships it");
    await call(
      supplier,
      "PATCH",
      `/api/orders/${order.id}/status`,
      200,
      ({ status, history }) => `${history.at(-1).old_status} → ${status}`,
      { status: "shipped", note: "By mule." },
    );
    await expectChange(orders, order, "UPDATE", "shipped", "paid");
    await checkStock(lantern.id, 3, 0);
    printer.plain("\nSold.");

    await playMixedOrder({ call, printer, register, operator, supplier, customer, marketplaceId });
    printer.plain("\nDelivered.");
  } finally {
    hook?.receiver.close();
  }

  /** Finds a mail in the log of mails, and in the mailbox of the stack. */
  async function readMail(template: string) {
    const { id, subject } = await within(
      TIMEOUT_MS,
      sentMail(project, operator, template),
      "no mail was sent: is MAIL_URL set?",
    );
    await call(
      operator,
      "GET",
      `/api/mails/${id}`,
      200,
      (mail) => `"${mail.subject}" is sent to ${mail.to.replace(/-.*@/, "-…@")}`,
    );
    if (!project.mailbox) return;
    const query = encodeURIComponent(`message-id:${id}`);
    const found = await fetch(`${project.mailbox}/api/v1/search?query=${query}`);
    const { messages } = (await found.json()) as Answer;
    expect(messages.length === 1, `${messages.length} mails have arrived, not 1`);
    const address = `${project.mailbox}/view/${messages[0].ID}`;
    printer.line("customer", "mail", "ok", `reads "${subject}" at ${address}`);
  }

  async function checkStock(productId: string, quantity: number, reserved: number) {
    const { inventory } = await call(
      supplier,
      "GET",
      `/api/products/${productId}`,
      200,
      (product) => `${product.name}: ${stock(product)}`,
    );
    expect(
      inventory.quantity === quantity && inventory.reserved === reserved,
      `the stock should be ${quantity} with ${reserved} reserved`,
    );
  }
}

/** Resolves to the mail of a template when it is sent. */
async function sentMail(project: Project, { token }: Person, template: string): Promise<Answer> {
  for (;;) {
    const log = `${project.url}/functions/v1/api/mails?status=success&template=${template}`;
    const found = await fetch(log, {
      headers: { apikey: project.publishableKey, authorization: `Bearer ${token}` },
    });
    const { mails } = (await found.json()) as Answer;
    if (mails?.[0]) return mails[0];
    await pause(200);
  }
}

const WHY_SKIPPED = "skipped: a hosted project cannot reach this machine without WEBHOOK_URL";

/**
 * Opens a receiver of webhooks and returns its public address; null if the project cannot reach it.
 */
async function openHook(
  project: Project,
): Promise<{ receiver: Receiver; publicUrl: string } | null> {
  const { WEBHOOK_URL, WEBHOOK_PORT = "8787" } = process.env;
  if (!WEBHOOK_URL && !project.local) return null;
  const port = WEBHOOK_URL ? Number(WEBHOOK_PORT) : 0;
  const receiver = await openReceiver(port).catch((error: Error) => {
    throw new DemoStopped(
      `cannot listen for the webhook on port ${WEBHOOK_PORT}: ${error.message}`,
    );
  });
  return { receiver, publicUrl: WEBHOOK_URL || receiver.url };
}

async function expectChange(
  orders: Listener,
  order: Answer,
  type: string,
  status: string,
  payment: string,
) {
  const change = await within(
    TIMEOUT_MS,
    orders.next(),
    `Realtime did not report the order within ${TIMEOUT_MS / 1000} seconds`,
  );
  expect(
    change.eventType === type &&
      change.new.id === order.id &&
      change.new.status === status &&
      change.new.payment_status === payment,
    `Realtime reported something else: ${change.eventType} ${change.new.id} ${change.new.status}, payment ${change.new.payment_status}`,
  );
  printer.line(
    "operator",
    "websocket /realtime/v1",
    "ok",
    `hears ${type}: order ${short(change.new.id)} is ${status}, its payment ${payment}`,
  );
}

async function receiveOrder(receiver: Receiver, wanted: string, order: Answer, secret: string) {
  const received = await within(
    TIMEOUT_MS,
    receiver.next(),
    `no webhook arrived within ${TIMEOUT_MS / 1000} seconds: if the functions run in a container, ` +
      "set WEBHOOK_URL to a public address of this machine",
  );
  expect(isSigned(received, secret), "the webhook's signature is wrong");
  const { event, data } = JSON.parse(received.body);
  expect(event === wanted && data.order.id === order.id, `the webhook has another event: ${event}`);
  printer.line(
    "receiver",
    "POST /hook",
    204,
    `${event}: order ${short(data.order.id)}, ${money(data.order.total, data.order)}, signature verified`,
  );
}

function stock({ inventory }: Answer): string {
  return `${inventory.quantity} in stock, ${inventory.reserved} reserved`;
}

async function main(args: string[]): Promise<number> {
  try {
    const { values } = parseArgs({ args, options: { help: { type: "boolean" } }, strict: true });
    if (values.help) {
      printer.plain(usage);
      return 0;
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    return 1;
  }
  try {
    await play(await findProject(process.cwd(), process.env));
    return 0;
  } catch (error) {
    if (!(error instanceof DemoStopped || error instanceof ConfigError)) throw error;
    process.stderr.write(`\nThe demo stopped: ${error.message}\n`);
    return 1;
  }
}

const code = await main(process.argv.slice(2));
// Exits at once: Realtime's client keeps timers after it is closed.
process.stdout.write("", () => process.exit(code));
