// Generates packages/client/src/methods.generated.ts from the OpenAPI document: a method of the
// client for each operation, with the operation's summary and description. With --check it only
// reports whether the file is up to date.
import type { ReferenceObject, SchemaObject } from "openapi-typescript";
import { type DocumentedOperation, operationsIn, readDocument } from "./document.js";
import { writeOrCheck } from "./generated.js";

const FILE = "packages/client/src/methods.generated.ts";
const HEADER = `// Made from the OpenAPI document by \`npm run types\`. Do not edit.
import { withJoinedValues } from "./lists.js";
import type { Operations } from "./operations.js";
`;

/** The groups of methods: the name of each interface, and the subject of its methods. */
const GROUPS: Record<string, { type: string; about: string }> = {
  tenant: { type: "OwnTenant", about: "The caller's tenant: a session has only one." },
  members: { type: "Members", about: "The members of the tenant and their roles." },
  apiKeys: { type: "ApiKeys", about: "The keys of machines." },
  auditLog: { type: "AuditLog", about: "Who changed what in the tenant." },
  invitations: { type: "Invitations", about: "Invitations into a tenant." },
  suppliers: { type: "Suppliers", about: "The organisations that sell." },
  supplierApplications: {
    type: "SupplierApplications",
    about: "Applications of who wants to sell.",
  },
  productApprovals: { type: "ProductApprovals", about: "The reviews of suppliers' products." },
  customers: { type: "Customers", about: "The customers of the tenant." },
  customerAddresses: { type: "AddressBook", about: "The addresses that a customer keeps." },
  marketplaces: { type: "Marketplaces", about: "The marketplaces of a tenant." },
  countries: { type: "Countries", about: "The countries that addresses can have." },
  categories: { type: "Categories", about: "The categories of products." },
  inventory: { type: "Stock", about: "The stock." },
  mediaFolders: { type: "MediaFolders", about: "The folders of the media library." },
  contentTypes: { type: "ContentTypes", about: "The content types of a tenant." },
  templates: { type: "Templates", about: "The templates of pages." },
  components: { type: "Components", about: "Parts shared by many templates." },
  emailTemplates: { type: "EmailTemplates", about: "The mails of the tenant." },
  mails: { type: "Mails", about: "The log of mails, and suppressions." },
  search: { type: "Search", about: "Search by questions. `products.list` searches by words." },
  synonyms: { type: "Synonyms", about: "Groups of terms with the same search results." },
  files: { type: "Files", about: "The files that buyers of a digital product download." },
  licenceKeys: {
    type: "LicenceKeys",
    about: "The keys of a digital product. Each sold piece gets one.",
  },
  checkouts: {
    type: "Checkouts",
    about: "Carts that know what they cost. To complete one places its order.",
  },
  calendars: { type: "Calendars", about: "The times at which services can be booked." },
  shipments: { type: "Shipments", about: "The shipments of an order." },
  returns: { type: "Returns", about: "The return requests of an order." },
  payments: {
    type: "Payments",
    about:
      "Payments of an order, as payment services report them, and captures; the order contains their sums.",
  },
  commissions: {
    type: "Commissions",
    about: "The marketplace's share of each sale, and the supplier's.",
  },
  commissionRates: {
    type: "CommissionRates",
    about: "Rates of commission that differ from the marketplace's.",
  },
  taxRates: { type: "TaxRates", about: "Rates of tax by country, region and category." },
  discounts: { type: "Discounts", about: "Discounts by code, and those that need none." },
  ledger: { type: "Ledger", about: "What suppliers are owed, line by line." },
  adjustments: { type: "Adjustments", about: "Corrections of what a supplier is owed." },
  payoutHolds: { type: "PayoutHolds", about: "What payouts leave out although it is due." },
  downloads: {
    type: "Downloads",
    about: "The files and keys that an order of digital products unlocks.",
  },
  bookings: { type: "Bookings", about: "The bookings of services." },
  webhooks: { type: "Webhooks", about: "Webhooks: signed deliveries of events." },
  campaigns: { type: "Campaigns", about: "Paid promotions of products in the top places." },
  placement: { type: "Placement", about: "The top places: prices, winners, events and revenue." },
  auctions: { type: "Auctions", about: "The auctions of the top places." },
  dashboards: { type: "Dashboards", about: "Saved sets of figures." },
};

/** Groups that a file of the client extends: only their generated methods are exported. */
const COMPLETED = new Set([
  "auth",
  "products",
  "orders",
  "media",
  "content",
  "events",
  "analytics",
  "payouts",
]);

/** Operations whose body or response is not JSON. Their methods are written by hand. */
const BY_HAND = new Set([
  "products.import",
  "products.export",
  "orders.import",
  "payouts.statement",
]);

/** Maximum length of a line in a docstring. */
const WIDTH = 100;

const document = await readDocument();

function docstring(text: string, indent: string): string {
  const width = WIDTH - indent.length;
  if (text.length + 8 <= width) return `${indent}/** ${text} */`;
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) as string;
    if (line && line.length + word.length + 4 > width) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`].join("\n");
}

function resolve(schema: SchemaObject | ReferenceObject | undefined): SchemaObject {
  if (!schema) return {} as SchemaObject;
  if (!("$ref" in schema)) return schema;
  const name = schema.$ref.split("/").at(-1) as string;
  return resolve(document.components?.schemas?.[name]);
}

/** Whether a parameter takes several values. */
const takesList = ({ anyOf }: SchemaObject): boolean =>
  (anyOf ?? []).some((one) => (resolve(one) as { type?: string }).type === "array");

/** The name of the array of records in a list's response. */
function recordsOf({ operation, status, name }: DocumentedOperation): string {
  const response = operation.responses?.[status];
  const content = response && "content" in response ? response.content : undefined;
  const { properties } = resolve(content?.["application/json"]?.schema) as {
    properties?: Record<string, SchemaObject | ReferenceObject>;
  };
  const found = Object.entries(properties ?? {}).find(
    ([, schema]) => (resolve(schema) as { type?: string }).type === "array",
  );
  if (!found) throw new Error(`${name} returns no list`);
  return found[0];
}

/** The lines of one operation: its method, and for a list also the method that reads all pages. */
function methodsOf(documented: DocumentedOperation): { kinds: string[]; lines: string[] } {
  const { method, path, operation, paged } = documented;
  const name = (operation.operationId as string).split(".")[1] as string;
  const has = (where: string, parameter?: string) =>
    (operation.parameters ?? []).some(
      (one) => "in" in one && one.in === where && (!parameter || one.name === parameter),
    );
  const lists = (operation.parameters ?? []).flatMap((one) =>
    "in" in one && one.in === "query" && takesList(resolve(one.schema)) ? [`"${one.name}"`] : [],
  );
  const asSent = lists.length > 0 ? `, withJoinedValues(${lists.join(", ")})` : "";
  const text = [`${operation.summary}.`, operation.description].filter(Boolean).join(" ");
  const [kind, args] =
    method === "get"
      ? [has("query") ? "list" : "read", `"${path}"${asSent}`]
      : has("header", "Idempotency-Key") && operation.requestBody
        ? ["create", `"${path}"`]
        : [operation.requestBody ? "send" : "act", `"${method}", "${path}"`];
  const lines = [docstring(text, "  "), `  ${name}: ${kind}(${args}),`];
  if (!paged) return { kinds: [kind], lines };
  const cursor = has("query", "after");
  const each = cursor ? "all" : "listAll";
  const about = cursor
    ? `All records of \`${name}\` after a cursor, until now.`
    : `All records of \`${name}\`, by default the oldest first. Records that leave the list meanwhile shift the others.`;
  return {
    kinds: [kind, each],
    lines: [
      ...lines,
      docstring(about, "  "),
      `  ${name}All: ${each}("${path}", "${recordsOf(documented)}"${asSent}),`,
    ],
  };
}

const groups = new Map<string, DocumentedOperation[]>();
for (const documented of operationsIn(document)) {
  const id = documented.operation.operationId as string;
  const [group = "", , form] = id.split(".");
  // A second form of an operation has no method.
  if (form || BY_HAND.has(id)) continue;
  groups.set(group, [...(groups.get(group) ?? []), documented]);
}

const written = [...groups].map(([group, operations]) => {
  const methods = operations.map(methodsOf);
  const kinds = [...new Set(methods.flatMap((one) => one.kinds))].sort();
  const lines = methods.flatMap((one) => one.lines);
  const made = `export const ${group}Methods = ({ ${kinds.join(", ")} }: Operations) => ({\n${lines.join("\n")}\n});\n`;
  if (COMPLETED.has(group)) return made;
  const named = GROUPS[group];
  if (!named) throw new Error(`name the group ${group} in GROUPS of scripts/client-methods.ts`);
  return `${made}\n/** ${named.about} */\nexport interface ${named.type} extends ReturnType<typeof ${group}Methods> {}\n`;
});

const whole = [...groups.keys()].filter((group) => !COMPLETED.has(group));
const together = `/** The groups of methods that the OpenAPI document describes completely. */
export interface Methods {
${whole.map((group) => `  ${group}: ${GROUPS[group]?.type};`).join("\n")}
}

export const methodsOf = (operations: Operations): Methods => ({
${whole.map((group) => `  ${group}: ${group}Methods(operations),`).join("\n")}
});
`;

writeOrCheck(FILE, [HEADER, ...written, together].join("\n"), "the OpenAPI document");
