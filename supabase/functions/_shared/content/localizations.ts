import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { type DocumentParts, translationIn, withTranslation } from "./documents.ts";
import { handOverMerge, isInRender } from "./hand_over.ts";
import { saveMerged, unlessStale, versionBefore } from "./saving.ts";
import {
  ifMatch,
  localization,
  localizationChanges,
  localizationMove,
  localizationParam,
} from "./schema.ts";

/** Routes below /content: translations. */
export const localizations = createRoutes();

const shared = {
  tags: ["Content"],
  middleware: authenticate,
  permission: "content.write" as const,
};

localizations.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{type}/{id}/localizations/{language}",
    operationId: "content.localization",
    summary: "Get a translation",
    request: { params: localizationParam },
    responses: answers(200, localization, "Its status, and its texts in the draft"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("get_localization", c.req.valid("param")).throwOnError();
    return c.json(localization.parse(data), 200);
  },
);

localizations.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{type}/{id}/localizations/{language}",
    operationId: "content.setLocalization",
    holdsRichText: true,
    summary: "Save a translation",
    description:
      "Saves the sent texts as a new version of the content, merged with newer versions of others. Untranslated fields follow the original.",
    errors: {
      CONFLICT: "with `details.conflicts`, the values that both sides changed differently",
      LIMIT_REACHED: "if both sides sorted too many items",
    },
    request: { params: localizationParam, headers: ifMatch, body: body(localizationChanges) },
    responses: answers(200, localization, "The translation after the change"),
  }),
  async (c) => {
    const { version_number, comment, ...texts } = c.req.valid("json");
    const { language, ...piece } = c.req.valid("param");
    const began = versionBefore({ version_number }, c.req.valid("header")["if-match"]);
    const changes = translationIn(texts);
    const db = c.get("db");
    const args = { ...piece, language, version_number: began, changes, comment };
    const isStale = isInRender(c);
    const first = isStale
      ? undefined
      : await unlessStale(db.rpc("save_localization", args).throwOnError());
    if (!first && !isStale) {
      const stale = { ...piece, version_number: began, key_only: true };
      const keyNow = () => db.rpc("content_to_merge", stale).throwOnError();
      return (await handOverMerge(c, keyNow)) as never;
    }
    if (!first) {
      const main = { ...piece, branch: "main" };
      const applied = (document: DocumentParts) => withTranslation(document, language, changes);
      await saveMerged(db, main, began, applied, comment);
    }
    const { data } =
      first ?? (await db.rpc("get_localization", { ...piece, language }).throwOnError());
    return c.json(localization.parse(data), 200);
  },
);

localizations.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{type}/{id}/localizations/{language}/status",
    operationId: "content.moveLocalization",
    summary: "Move a translation",
    description:
      "draft, in_progress, review, approved, published: by one step, or back to draft. Moves to and from approved are for reviewers, to and from published for publishers.",
    errors: { INVALID_TRANSITION: true },
    request: { params: localizationParam, body: body(localizationMove) },
    responses: answers(200, localization, "The translation after the change"),
  }),
  async (c) => {
    const args = { ...c.req.valid("param"), ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("set_localization_status", args).throwOnError();
    return c.json(localization.parse(data), 200);
  },
);
