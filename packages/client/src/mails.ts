import type { Operations } from "./operations.js";

const at = "/api/email-templates/{id}";

export const emailTemplatesOf = ({ list, listAll, read, create, send, act }: Operations) => ({
  /** A page of the tenant's e-mail templates, newest first. */
  list: list("/api/email-templates"),
  /** All e-mail templates. */
  listAll: listAll("/api/email-templates", "email_templates"),
  /** Creates a template that replaces a built-in letter, or is sent in addition. Errors: CONFLICT, if the key is taken; LIMIT_REACHED; TEMPLATE_ERROR. */
  create: create("/api/email-templates"),
  /** Errors: NOT_FOUND. */
  get: read(at),
  /** Changes the given fields. Errors: NOT_FOUND, TEMPLATE_ERROR. */
  update: send("put", at),
  /** Deletes it. A built-in letter of its key is sent again. Errors: NOT_FOUND. */
  remove: act("delete", at),
  /** The letter as it would be sent. Errors: NOT_FOUND, TEMPLATE_ERROR, TEMPLATE_LIMIT. */
  render: send("post", `${at}/render`),
  /** Sends the letter to the caller. Errors: NOT_FOUND. */
  test: create(`${at}/test`),
});

/** The letters of the tenant. */
export interface EmailTemplates extends ReturnType<typeof emailTemplatesOf> {}

export const mailsOf = ({ list, listAll, read, act }: Operations) => ({
  /** A page of the log of mails, newest first. */
  list: list("/api/mails"),
  /** All mails. */
  listAll: listAll("/api/mails", "mails"),
  /** Errors: NOT_FOUND. */
  get: read("/api/mails/{id}"),
  /** Sends a mail that has failed again. Errors: CONFLICT, if it has not failed; NOT_FOUND. */
  retry: act("post", "/api/mails/{id}/retry"),
  /** A page of the addresses that get no mails, or none of one letter. */
  suppressions: list("/api/mails/suppressions"),
  /** Every suppression. */
  suppressionsAll: listAll("/api/mails/suppressions", "suppressions"),
  /** Ends a suppression: the address gets mails again. Errors: NOT_FOUND. */
  endSuppression: act("delete", "/api/mails/suppressions/{id}"),
});

/** The log of mails, and suppressions. */
export interface Mails extends ReturnType<typeof mailsOf> {}
