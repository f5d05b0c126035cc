import type { Operations } from "./operations.js";

const at = "/api/email-templates/{id}";

export const emailTemplatesOf = ({ list, listAll, read, create, send, act }: Operations) => ({
  /** A page of the tenant's own letters, the newest first. */
  list: list("/api/email-templates"),
  /** Every one of them. */
  listAll: listAll("/api/email-templates", "email_templates"),
  /** One in the place of a letter that is built in, or beside them. Errors: CONFLICT, for a second one of a key; TEMPLATE_ERROR. */
  create: create("/api/email-templates"),
  /** Errors: NOT_FOUND. */
  get: read(at),
  /** Changes what is sent along. Errors: TEMPLATE_ERROR. */
  update: send("put", at),
  /** The letter that is built in, if there is one, has its place again. */
  remove: act("delete", at),
  /** The letter as it would be sent. Errors: TEMPLATE_ERROR, TEMPLATE_LIMIT. */
  render: send("post", `${at}/render`),
  /** Sends it to oneself. */
  test: create(`${at}/test`),
});

/** Letters of the tenant's own. */
export interface EmailTemplates extends ReturnType<typeof emailTemplatesOf> {}

export const mailsOf = ({ list, listAll, read, act }: Operations) => ({
  /** A page of what was written to whom, the newest first. */
  list: list("/api/mails"),
  /** Every mail of a list. */
  listAll: listAll("/api/mails", "mails"),
  /** Errors: NOT_FOUND. */
  get: read("/api/mails/{id}"),
  /** Sends one that has failed again. Errors: CONFLICT, for any other. */
  retry: act("post", "/api/mails/{id}/retry"),
  /** A page of the addresses that get no letters, or none of a kind. */
  suppressions: list("/api/mails/suppressions"),
  /** Every one of them. */
  suppressionsAll: listAll("/api/mails/suppressions", "suppressions"),
  /** Has an address get letters again. */
  endSuppression: act("delete", "/api/mails/suppressions/{id}"),
});

/** What was written to whom. */
export interface Mails extends ReturnType<typeof mailsOf> {}
