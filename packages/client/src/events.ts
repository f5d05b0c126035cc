import type { CallOptions } from "./http.js";
import { eventsMethods } from "./methods.generated.js";
import type { EventFields, EventName, EventRecords } from "./openapi.generated.js";
import type { AnswerOf, Operations, QueryOf } from "./operations.js";

/** The records of a truncated event: their short fields, including the id. */
type Short<Content> = {
  [Record in keyof Content]: Content[Record] extends { id: string }
    ? Pick<Content[Record], "id"> & Partial<Content[Record]>
    : Content[Record];
};

type EventOf<Name extends EventName> = {
  /** The event's id, the same in all webhooks and in the list of events. */
  id: string;
  event: Name;
  /** When it happened, ISO 8601; the same in every delivery attempt. */
  timestamp: string;
} & (
  | { truncated?: never; data: EventRecords[Name] }
  | { truncated: true; data: Short<EventRecords[Name]> }
) &
  (Name extends keyof EventFields ? EventFields[Name] : unknown);

/** An event, as in webhooks and in the list of events; `event` is its type. */
export type WebhookEvent = { [Name in EventName]: EventOf<Name> }[EventName];

type Query = QueryOf<"/api/events">;
type Page = Omit<AnswerOf<"get", "/api/events">, "events"> & { events: WebhookEvent[] };

export const eventsOf = (operations: Operations) => {
  const { list, listAll, ...others } = eventsMethods(operations);
  return {
    ...others,
    /**
     * Events after a cursor, oldest first. Continue with `next`, at once if `more` is true. A reader that stores `next`
     * misses no event.
     */
    list: list as (query?: Query, options?: CallOptions) => Promise<Page>,
    /** All events after a cursor, or since a time, until now. */
    listAll: listAll as (query?: Query, options?: CallOptions) => AsyncIterable<WebhookEvent>,
  };
};

/** The events of the tenant in the last month. For admins and clients. */
export interface Events extends ReturnType<typeof eventsOf> {}
