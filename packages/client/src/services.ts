import type { Operations } from "./operations.js";

export const calendarsOf = ({ read, send, list, listAll }: Operations) => ({
  /** When a service can be booked, and its location. Errors: NOT_FOUND. */
  get: read("/api/products/{id}/calendar"),
  /** Creates or replaces the calendar of a service; existing bookings stay. Errors: NOT_FOUND. */
  set: send("put", "/api/products/{id}/calendar"),
  /**
   * A page of a service's free slots. To book one, order the service with the slot's `starts_at`.
   * Errors: NOT_FOUND.
   */
  slots: list("/api/products/{id}/slots"),
  /** All free slots, by default the soonest first. Errors: NOT_FOUND. */
  slotsAll: listAll("/api/products/{id}/slots", "slots"),
});

/** When services can be booked. */
export interface Calendars extends ReturnType<typeof calendarsOf> {}

export const bookingsOf = ({ list, listAll }: Operations) => ({
  /** A page of the bookings the caller may see, soonest first. */
  list: list("/api/bookings"),
  /** All bookings of a list, by default the soonest first. */
  listAll: listAll("/api/bookings", "bookings"),
});

/** The bookings of services. */
export interface Bookings extends ReturnType<typeof bookingsOf> {}
