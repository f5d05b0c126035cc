import type { Operations } from "./operations.js";

const at = "/api/templates/{id}";

export const templatesOf = ({ list, listAll, read, create, send, act }: Operations) => ({
  /** A page of templates, the newest first: to writers all, to others the active ones. */
  list: list("/api/templates"),
  /** Every template of a list, the oldest first unless asked otherwise. */
  listAll: listAll("/api/templates", "templates"),
  /** Errors: TEMPLATE_ERROR (422), which tells the section, block, line and column. */
  create: create("/api/templates"),
  /** By its id; or by a type of page, the one that it is made by. Errors: NOT_FOUND. */
  get: list(at),
  /** Saves what is sent on top of `version_number`. Errors: CONFLICT, when there is a newer one; TEMPLATE_ERROR. */
  update: send("put", at),
  /** Errors: CONFLICT, whose `used_by` tells who inherits from it or includes it. */
  remove: act("delete", at),
  /** A page of its versions, newest first. */
  versions: list(`${at}/versions`),
  /** Every version that is kept, the first one first. */
  versionsAll: listAll(`${at}/versions`, "versions"),
  /** Shows readers a version, an older one too. Errors: CONFLICT, when it is made with what is not active. */
  activate: act("post", `${at}/versions/{version}/activate`),
  /** What is different between two versions, `from` and `to`. */
  compare: list(`${at}/compare`),
  /** All its languages. */
  localizations: read(`${at}/localizations`),
  /** Its texts in a language. Errors: NOT_FOUND. */
  localization: read(`${at}/localizations/{language}`),
  /** Saves its texts in a language. Errors: CONFLICT, when there is a newer version. */
  setLocalization: send("put", `${at}/localizations/{language}`),
  /** Where somebody looks at a version for a day, without a session. */
  preview: send("post", `${at}/preview`),
  /** A page as the caller sees it. Errors: TEMPLATE_ERROR, TEMPLATE_LIMIT; VALIDATION_ERROR, whose `errors` name each variable. */
  render: send("post", `${at}/render`),
  /** The same without variables, by an address that caches may keep. */
  page: list(`${at}/render`),
  /** Ends all previews. */
  endPreviews: act("delete", `${at}/preview`),
});

/** By which pages are made. */
export interface Templates extends ReturnType<typeof templatesOf> {}

export const componentsOf = ({ list, listAll, read, create, send, act }: Operations) => ({
  /** A page of components. */
  list: list("/api/templates/components"),
  /** Every component of a list. */
  listAll: listAll("/api/templates/components", "components"),
  /** Errors: TEMPLATE_ERROR (422). */
  create: create("/api/templates/components"),
  /** Errors: NOT_FOUND. */
  get: read("/api/templates/components/{id}"),
  /** Saves what is sent on top of `version_number`; it shows at once. Errors: CONFLICT, TEMPLATE_ERROR. */
  update: send("put", "/api/templates/components/{id}"),
  /** Errors: CONFLICT, whose `used_by` tells which templates show it. */
  remove: act("delete", "/api/templates/components/{id}"),
});

/** Parts that many templates show. */
export interface Components extends ReturnType<typeof componentsOf> {}
