// Generates packages/client/src/names.generated.ts from the names in the edge functions. With --check it only reports
// whether the file is up to date.
import { ROLE_NAMES } from "../supabase/functions/_shared/auth/role_names.ts";
import { ORDER_STATUS_NAMES } from "../supabase/functions/_shared/orders/status_names.ts";
import { LANGUAGES } from "../supabase/functions/_shared/values/languages.ts";
import { writeOrCheck } from "./generated.js";

const FILE = "packages/client/src/names.generated.ts";
const HEADER = `// Made from the names in the edge functions by \`npm run types\`. Do not edit.
import type { OrderStatus, Role } from "./openapi.generated.js";

/** The languages that have names. */
export type NameLanguage = ${LANGUAGES.map((language) => `"${language}"`).join(" | ")};
`;

const written = (name: string, about: string, key: string, names: object) => `
/** ${about} */
export const ${name}: Record<NameLanguage, Record<${key}, string>> = ${JSON.stringify(names, null, 2)};
`;

const made = [
  HEADER,
  written(
    "ORDER_STATUS_NAMES",
    "The names of the statuses of an order.",
    "OrderStatus",
    ORDER_STATUS_NAMES,
  ),
  written("ROLE_NAMES", "The names of the roles of members.", "Role", ROLE_NAMES),
];
writeOrCheck(FILE, made.join(""), "the names in the edge functions");
