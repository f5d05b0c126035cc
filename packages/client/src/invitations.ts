import type { Operations } from "./operations.js";

export const invitationsOf = ({ list, listAll, create, read, act }: Operations) => ({
  /** A page of the tenant's invitations, newest first. */
  list: list("/auth/invitations"),
  /** All invitations of a list, by default the oldest first. */
  listAll: listAll("/auth/invitations", "invitations"),
  /**
   * Invites an e-mail address into the tenant, in any role. Only this response contains the token:
   * send it
   * to the invited person. Errors: CONFLICT if the address is a member's.
   */
  create: create("/auth/invitations"),
  /** Errors: NOT_FOUND. */
  get: read("/auth/invitations/{id}"),
  /** Withdraws an invitation: its token becomes invalid. Errors: NOT_FOUND. */
  remove: act("delete", "/auth/invitations/{id}"),
  /**
   * Joins another tenant with the signed-in account; `auth.switchTenant` switches to it. A person
   * without
   * an account registers with the invitation. Errors: NOT_FOUND.
   */
  accept: create("/auth/invitations/accept"),
});

/** Invitations into a tenant. For admins, except `accept`. */
export interface Invitations extends ReturnType<typeof invitationsOf> {}
