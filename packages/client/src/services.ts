import type { Operations } from "./operations.js";

export const calendarsOf = ({ read, send, list, listAll }: Operations) => ({
  /** When a service can be booked, and where it takes place. Errors: NOT_FOUND. */
  get: read("/api/products/{id}/calendar"),
  /** Makes a service's calendar, or replaces it; what is booked stays booked. Errors: NOT_FOUND. */
  set: send("put", "/api/products/{id}/calendar"),
  /**
   * A page of a service's free slots. To book one, order the service with the slot's `starts_at`.
   * Errors: NOT_FOUND.
   */
  slots: list("/api/products/{id}/slots"),
  /** Every free slot, soonest first unless asked otherwise. Errors: NOT_FOUND. */
  slotsAll: listAll("/api/products/{id}/slots", "slots"),
});

/** When services can be booked. */
export interface Calendars extends ReturnType<typeof calendarsOf> {}

export const bookingsOf = ({ list, listAll }: Operations) => ({
  /** A page of the bookings the caller may see, soonest first. */
  list: list("/api/bookings"),
  /** Every booking of a list, soonest first unless asked otherwise. */
  listAll: listAll("/api/bookings", "bookings"),
});

/** Who comes when. */
export interface Bookings extends ReturnType<typeof bookingsOf> {}
