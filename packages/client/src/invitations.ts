import type { Operations } from "./operations.js";

export const invitationsOf = ({ list, listAll, create, read, act }: Operations) => ({
  /** A page of the tenant's invitations, newest first. */
  list: list("/auth/invitations"),
  /** Every invitation of a list, oldest first unless asked otherwise. */
  listAll: listAll("/auth/invitations", "invitations"),
  /**
   * Invites an e-mail address into the tenant, as any role. The token is in this answer, and never in
   * another: send it to whom it is for. Errors: CONFLICT, when the address is a member's.
   */
  create: create("/auth/invitations"),
  /** Errors: NOT_FOUND. */
  get: read("/auth/invitations/{id}"),
  /** Withdraws an invitation: its token works no more. Errors: NOT_FOUND. */
  remove: act("delete", "/auth/invitations/{id}"),
  /**
   * Joins one more tenant with the account that is signed in; switch to it by `auth.switchTenant`. Who
   * has no account registers with the invitation. Errors: NOT_FOUND.
   */
  accept: create("/auth/invitations/accept"),
});

/** Invitations to join a tenant. For admins, except `accept`. */
export interface Invitations extends ReturnType<typeof invitationsOf> {}
