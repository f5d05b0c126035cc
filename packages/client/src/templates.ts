import type { Operations } from "./operations.js";

const at = "/api/templates/{id}";

export const templatesOf = ({ list, listAll, read, create, send, act }: Operations) => ({
  /**
   * A page of templates, newest first: all for members with a content role, the active ones for
   * others.
   */
  list: list("/api/templates"),
  /** All templates of a list, by default the oldest first. */
  listAll: listAll("/api/templates", "templates"),
  /** Creates a template. Errors: TEMPLATE_ERROR (422) with section, block, line and column. */
  create: create("/api/templates"),
  /** A template by id; or by page type, the template that renders such pages. Errors: NOT_FOUND. */
  get: list(at),
  /** Saves changes on top of `version_number`. Errors: CONFLICT if there is a newer version; TEMPLATE_ERROR. */
  update: send("put", at),
  /** Deletes a template. Errors: CONFLICT with `used_by`, the templates that inherit from it or include it. */
  remove: act("delete", at),
  /** A page of the versions of a template, the newest first. */
  versions: list(`${at}/versions`),
  /** All stored versions, the oldest first. */
  versionsAll: listAll(`${at}/versions`, "versions"),
  /** Makes a version the active one. Errors: CONFLICT if it refers to templates that are not active. */
  activate: act("post", `${at}/versions/{version}/activate`),
  /** The differences between the versions `from` and `to`. */
  compare: list(`${at}/compare`),
  /** All translations of a template. */
  localizations: read(`${at}/localizations`),
  /** The translation into a language. Errors: NOT_FOUND. */
  localization: read(`${at}/localizations/{language}`),
  /** Saves the translation into a language. Errors: CONFLICT if there is a newer version. */
  setLocalization: send("put", `${at}/localizations/{language}`),
  /** Makes a preview of a version, which needs no session and lasts 24 hours. */
  preview: send("post", `${at}/preview`),
  /** Renders a page as the caller may see it. Errors: TEMPLATE_ERROR; TEMPLATE_LIMIT; VALIDATION_ERROR with `errors` per variable. */
  render: send("post", `${at}/render`),
  /** The same by GET, without variables. Shared caches may keep it. */
  page: list(`${at}/render`),
  /** Ends all previews of a template. */
  endPreviews: act("delete", `${at}/preview`),
});

/** The templates of pages. */
export interface Templates extends ReturnType<typeof templatesOf> {}

export const componentsOf = ({ list, listAll, read, create, send, act }: Operations) => ({
  /** A page of components. */
  list: list("/api/templates/components"),
  /** All components of a list. */
  listAll: listAll("/api/templates/components", "components"),
  /** Creates a component. Errors: TEMPLATE_ERROR (422). */
  create: create("/api/templates/components"),
  /** A component. Errors: NOT_FOUND. */
  get: read("/api/templates/components/{id}"),
  /** Saves changes on top of `version_number`. They show at once. Errors: CONFLICT, TEMPLATE_ERROR. */
  update: send("put", "/api/templates/components/{id}"),
  /** Deletes a component. Errors: CONFLICT with `used_by`, the templates that show it. */
  remove: act("delete", "/api/templates/components/{id}"),
});

/** Parts shared by many templates. */
export interface Components extends ReturnType<typeof componentsOf> {}
