import type { Context } from "hono";
import {
  databaseAs,
  databaseAsService,
  databaseAsVisitor,
  PROMOTION,
} from "../http/authenticate.ts";
import type { DatabaseClient, Env } from "../http/env.ts";
import { declareNeeds } from "../http/needs.ts";
import { callPage } from "../http/page.ts";
import { createRoutes } from "../http/routes.ts";
import { MARKETPLACE, VISITOR } from "../http/visits.ts";
import { requireSecretKey } from "../http/worker.ts";
import { changesBetween } from "./compare.ts";
import { type DocumentParts, withTranslation } from "./documents.ts";
import { CALLER, type DocumentWork } from "./handing_over.ts";
import { presented, type StoredContent, storedPage } from "./presenting.ts";
import { mergeBranches, saveMerged } from "./saving.ts";
import { content, savedContent } from "./schema.ts";

/** Part of the function `render`. It merges, compares and writes documents as HTML for the function `api`. */
export const documentWorker = createRoutes();

documentWorker.post("/", declareNeeds({ holdsRichText: true }), async (c) => {
  requireSecretKey(c);
  const work = c.get("body") as unknown as DocumentWork;
  const db = databaseOf(c);
  switch (work.work) {
    case "merge":
      return c.json(content.parse(await mergeBranches(db, work.piece, work.request)), 200);
    case "compare": {
      const versions = { from_version: work.from, to_version: work.to };
      const { data } = await db
        .rpc("compare_content", { ...work.piece, ...versions })
        .throwOnError();
      return c.json({ changes: changesBetween(data.from, data.to) }, 200);
    }
    case "save": {
      const { piece, began, changes, comment } = work;
      const applied = (document: DocumentParts) => ({ ...document, ...changes });
      const { saved, merged } = await saveMerged(db, piece, began, applied, comment);
      c.header("ETag", `"${saved.version_number}"`);
      return c.json(savedContent.parse({ ...saved, merged }), 200);
    }
    case "translate": {
      const { piece, language, began, changes, comment } = work;
      const applied = (document: DocumentParts) =>
        withTranslation(document, language, changes as Record<string, unknown>);
      await saveMerged(db, { ...piece, branch: "main" }, began, applied, comment);
      return c.json({}, 200);
    }
    case "read": {
      const { piece, query, preview: token } = work;
      const { data } = await (token === undefined
        ? db.rpc("get_content", { ...piece, ...query })
        : db.rpc("preview_content", { ...piece, ...query, token })
      ).throwOnError();
      const record = data as StoredContent;
      if (record.is_draft) c.header("ETag", `"${record.version_number}"`);
      return c.json(presented(record, "html"), 200);
    }
    case "list": {
      const listing = db.rpc("list_content", work.query);
      const { content: found, ...page } = await callPage(storedPage, listing, work.query);
      return c.json({ content: found.map((one) => presented(one, "html")), ...page }, 200);
    }
  }
});

/** The database with the rights of the caller of the API. Without any, the database checks the token of a preview. */
function databaseOf(c: Context<Env>): DatabaseClient {
  const token = c.req.header(CALLER);
  const marketplace = c.req.header(MARKETPLACE);
  const signal = c.get("signal");
  const further = Object.fromEntries(
    [VISITOR, PROMOTION].flatMap((name) => {
      const value = c.req.header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  if (token !== undefined) return databaseAs(token, signal, fetch, further);
  return marketplace === undefined
    ? databaseAsService(signal)
    : databaseAsVisitor(marketplace, signal, fetch, further);
}
