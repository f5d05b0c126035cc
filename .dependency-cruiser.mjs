// The rules of docs/architecture.md, "Dependencies between capabilities", by their numbers there. `npm run typecheck` applies them.
// Rule 1 is about the schemas of the database: `npm run order` checks it.

const SHARED = "^supabase/functions/_shared/";
const FUNCTIONS = "^supabase/functions/";
/** The types of the database. They are no code. */
const DATABASE_TYPES = "^packages/client/src/database\\.generated\\.ts$";
/** The capabilities: the folders of _shared but for those that they all use. */
const CAPABILITY = `${SHARED}(?!(?:values|http|liquid|documentation)/)([^/]+)/`;

/** The contract of a capability: its schemas, and the values in them. */
const CONTRACT = `${SHARED}[^/]+/(?:schema|\\w+_schema|statuses|settings|\\w+_names)\\.ts$`;
/** What capabilities offer to others beside their contracts, as docs/architecture.md lists it. */
const OFFERED = [
  "events/event_type",
  "events/sample",
  "jobs/loop",
  "media/storage",
  "media/resumable",
  "imports/csv",
  "imports/import",
  "imports/answering",
  "imports/call",
  "imports/streaming",
  "embeddings/configured_provider",
  "content/html",
  "content/rich_text",
  "content/compare",
  "content/saving",
].map((file) => `${SHARED}${file}\\.ts$`);

/** A rule that files of `from` import only what matches `only`, or files of their own folder. */
const imports = (name, from, only, comment) => ({
  name,
  severity: "error",
  comment,
  from: { path: from },
  to: { path: "^(?:supabase|packages|apps|scripts|tests|bench)/", pathNot: only },
});

export default {
  forbidden: [
    {
      name: "2-no-circles",
      severity: "error",
      comment:
        "No file imports itself through others. Imports of types count, because no file of a circle can be read first.",
      from: {},
      to: { circular: true },
    },
    {
      name: "2-no-circles-of-capabilities",
      severity: "error",
      comment: "No capability imports itself through others.",
      scope: "folder",
      from: { path: `${SHARED}[^/]+$` },
      to: { circular: true, path: `${SHARED}[^/]+$` },
    },
    imports("3-values", `${SHARED}values/`, [`${SHARED}values/`], "values import nothing of Souk."),
    imports(
      "4-http",
      `${SHARED}http/`,
      [`${SHARED}(?:http|values)/`, DATABASE_TYPES],
      "http uses values only, and no capability.",
    ),
    imports(
      "5-capability",
      CAPABILITY,
      [`${SHARED}$1/`, `${SHARED}(?:values|http|liquid)/`, CONTRACT, ...OFFERED],
      "A capability uses another's contract, and never its routes.",
    ),
    imports(
      "6-liquid",
      `${SHARED}liquid/`,
      [`${SHARED}(?:liquid|http|values)/`],
      "The language of templates and mail uses neither of them.",
    ),
    imports(
      "7-documentation",
      `${SHARED}documentation/`,
      [`${SHARED}(?:documentation|http|values)/`],
      "The OpenAPI document is made from any routes.",
    ),
    {
      name: "8-entry-point",
      severity: "error",
      comment:
        "index.ts serves an app, so nothing imports it: the same app runs in Deno and in a test.",
      from: {},
      to: { path: `${FUNCTIONS}[^/_]+/index\\.ts$` },
    },
    {
      name: "8-entry-point-combines",
      severity: "error",
      comment: "The folders of the entry points combine capabilities; no capability imports them.",
      from: { path: SHARED },
      to: { path: `${FUNCTIONS}(?!_shared/)` },
    },
    imports(
      "9-client",
      "^packages/client/src/",
      ["^packages/client/src/"],
      "The client uses only the API.",
    ),
    imports(
      "10-stack",
      "^packages/stack/src/",
      ["^packages/stack/src/"],
      "The stack uses nothing of Souk.",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(?:^|/)(?:dist|dist-server|\\.souk)/" },
    // Imports of types count.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: [".ts", ".tsx", ".js", ".mjs", ".json"] },
  },
};
