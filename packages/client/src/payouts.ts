import type { Operations } from "./operations.js";

export const payoutsOf = ({ list, listAll, create, read, send, act }: Operations) => ({
  /** A page of the payouts, newest first, and their sums in each currency; suppliers see their own. */
  list: list("/api/payouts"),
  /** Every payout of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/payouts", "payouts"),
  /**
   * Closes what is due to a supplier into a payout. For admins. Errors: VALIDATION_ERROR (422) where nothing is due,
   * CONFLICT where it is held, NOT_FOUND.
   */
  create: create("/api/payouts"),
  /** Errors: NOT_FOUND. */
  get: read("/api/payouts/{id}"),
  /** Says that it is paid, by which reference, or has failed. For admins. Errors: INVALID_TRANSITION (422), NOT_FOUND. */
  update: send("patch", "/api/payouts/{id}"),
  /** A page of what it holds of which line of the ledger, the oldest first. Errors: NOT_FOUND. */
  lines: list("/api/payouts/{id}/lines"),
  /** Every line of a payout. Errors: NOT_FOUND. */
  linesAll: listAll("/api/payouts/{id}/lines", "lines"),
  /** What a supplier is owed, and what of it is due now. Errors: NOT_FOUND. */
  balance: read("/api/suppliers/{id}/balance"),
  /** What is held of a supplier's money. */
  holds: read("/api/suppliers/{id}/payout-holds"),
  /** Holds what a supplier is paid for an order, or all of it. For admins. Errors: CONFLICT, NOT_FOUND. */
  hold: create("/api/suppliers/{id}/payout-holds"),
  /** Pays it out again. For admins. Errors: NOT_FOUND. */
  release: act("delete", "/api/suppliers/{id}/payout-holds/{hold_id}"),
});

/** What suppliers are paid. */
export interface Payouts extends ReturnType<typeof payoutsOf> {}

export const ledgerOf = ({ list, listAll, create }: Operations) => ({
  /** A page of what suppliers are owed, newest first, and its sums in each currency; suppliers see their own lines. */
  list: list("/api/ledger"),
  /** Every line of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/ledger", "lines"),
  /** Owes a supplier more, or less, for a reason. For admins. Errors: VALIDATION_ERROR (422), NOT_FOUND. */
  adjust: create("/api/suppliers/{id}/adjustments"),
});

/** The lines whose sum is what a supplier is owed. */
export interface Ledger extends ReturnType<typeof ledgerOf> {}

export const commissionRatesOf = ({ list, listAll, send, act }: Operations) => ({
  /** A page of the rates of suppliers and categories, newest first; a supplier sees its own, and those of categories. */
  list: list("/api/commission-rates"),
  /** Every rate of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/commission-rates", "commission_rates"),
  /** Sets the rate of a supplier, or of a category, for orders to come. For admins. Errors: VALIDATION_ERROR (422). */
  set: send("put", "/api/commission-rates"),
  /** Removes a rate. For admins. Errors: NOT_FOUND. */
  remove: act("delete", "/api/commission-rates/{id}"),
});

/** What the operator keeps of suppliers' sales, where it is not what the marketplace says. */
export interface CommissionRates extends ReturnType<typeof commissionRatesOf> {}
