import { setImmediate as others } from "node:timers/promises";
import type { Database } from "../db/database.js";
import type { Claims } from "../keys.js";
import type { Log } from "../log.js";
import { type Capture, createCapture } from "./capture.js";
import type { Filter } from "./filters.js";
import { groupBy } from "./grouping.js";
import {
  type Change,
  changeJson,
  type Field,
  identityFields,
  objectJson,
  refusalJson,
} from "./payload.js";
import { createQueue } from "./queue.js";
import { type Access, type Relation, readRelations } from "./relations.js";
import { isVisible, readSnapshot, type Snapshot } from "./snapshot.js";
import { type Binding, type RequestedSubscription, resolveSubscription } from "./subscriptions.js";
import { passFilters, passPolicies } from "./visibility.js";

/** Maximum number of identities whose policies are checked concurrently. */
const CHECKS_AT_ONCE = 4;
/** Number of changes after which other requests have their turn. */
const SENDS_AT_ONCE = 50;

/** A receiver of changes: a channel. */
export interface Listener {
  /** Read again for every batch of changes, so that a refreshed token takes effect at once. */
  claims(): Claims;
  /** `data` is JSON; `ids` are the ids of the matching bindings. */
  hear(ids: number[], data: string): void;
  /** Called when the set of published tables changes: the subscription must be resolved again. */
  subscribeAnew(): void;
}

export interface Changes extends Pick<Capture, "hold" | "release"> {
  /**
   * Once it resolves, the listener receives every change committed from then on. Subscribing again
   * replaces the previous subscription. Throws `SubscriptionRefused`, or a database error when a
   * table stays locked.
   */
  subscribe(
    listener: Listener,
    requested: ReadonlyMap<number, RequestedSubscription>,
  ): Promise<void>;
  unsubscribe(listener: Listener): void;
  close(): Promise<void>;
}

interface Subscription {
  listener: Listener;
  bindings: Binding[];
  since: Snapshot;
}

/** A subscription while a batch is delivered, with the identity it had when the batch was taken. */
interface Recipient extends Subscription {
  claims: Claims;
}

export async function createChanges(
  db: Database,
  log: Log,
  deliverMessage: (row: Field[]) => void,
): Promise<Changes> {
  const subscriptions = new Map<Listener, Subscription>();
  // Taking a batch and reading a new subscription's snapshot never overlap, so that no change is
  // missed between them.
  const enqueue = createQueue();

  const capture = await createCapture(db, log, enqueue, {
    recipients: () =>
      new Set([...subscriptions.values()].map((s) => ({ ...s, claims: s.listener.claims() }))),
    deliverMessage,
    publicationChanged() {
      for (const listener of subscriptions.keys()) listener.subscribeAnew();
    },
    deliverChanges: (changes, recipients: Set<Recipient>) =>
      deliver(db, log, changes, recipients, (listener) => subscriptions.has(listener)),
  });

  return {
    hold: capture.hold,
    release: capture.release,
    async subscribe(listener, requested) {
      await capture.follow();
      await enqueue(async () => {
        const bindings: Binding[] = [];
        for (const [id, one] of requested) {
          bindings.push(await resolveSubscription(db, one, id, listener.claims()));
        }
        const since = subscriptions.get(listener)?.since ?? (await readSnapshot(db));
        subscriptions.set(listener, { listener, bindings, since });
      });
    },
    unsubscribe: (listener) => void subscriptions.delete(listener),
    close: capture.close,
  };
}

/**
 * Sends every recipient the changes that it subscribed to, that pass its filters and that it may
 * see, and then removes it from `recipients`.
 */
async function deliver(
  db: Database,
  log: Log,
  changes: Change[],
  recipients: Set<Recipient>,
  stillListens: (listener: Listener) => boolean,
): Promise<void> {
  const asking = [...recipients].filter((h) =>
    changes.some((change) => asks(h, change).length > 0),
  );
  if (asking.length === 0) return;
  const oids = new Set(changes.map((change) => change.relation));
  const roles = new Set(asking.map((recipient) => recipient.claims.role));
  const relations = await readRelations(db, oids, roles);
  const passes = await filterChanges(db, log, changes, asking, relations);

  /** Returns the deliveries to recipients of one identity, in the order of the changes. */
  function deliveriesOf(same: Recipient[], { role }: Claims): Delivery[] {
    return changes.flatMap((change) => {
      const relation = relations.get(change.relation);
      const access = relation?.access[role];
      if (!relation?.published || !access) return [];
      const refusal = refusalOf(change, relation, access.columns);
      const wanted = (b: Binding) => refusal !== null || passes(change, b);
      const audience = same
        .map((h) => ({ listener: h.listener, bindings: asks(h, change).filter(wanted) }))
        .filter(({ bindings }) => bindings.length > 0);
      return audience.length > 0 ? [{ change, relation, access, refusal, audience }] : [];
    });
  }

  const written: Written = new Map();
  const identities = [...groupBy(asking, (recipient) => JSON.stringify(recipient.claims)).values()];
  const work = async () => {
    for (let same = identities.shift(); same; same = identities.shift()) {
      const { claims } = same[0] as Recipient;
      const deliveries = deliveriesOf(same, claims);
      const hidden = await findHidden(db, log, deliveries, claims);
      for (const [i, one] of deliveries.entries()) {
        if (i % SENDS_AT_ONCE === 0) await others();
        if (!hidden.has(one)) send(one, claims.role, written, stillListens);
      }
      for (const recipient of same) recipients.delete(recipient);
    }
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work));
}

/** A change, and the listeners of one identity that subscribed to it. */
interface Delivery {
  change: Change;
  relation: Relation;
  access: Access;
  refusal: string | null;
  audience: { listener: Listener; bindings: Binding[] }[];
}

const asks = ({ bindings, since }: Recipient, { relation, action, transaction }: Change) =>
  bindings.filter(
    ({ relations, event }) =>
      relations.has(relation) &&
      (event === "*" || event === action) &&
      !isVisible(since, transaction),
  );

/** Returns why a role is notified of a change without its values; null if it gets the values. */
function refusalOf(change: Change, relation: Relation, readable: string[]): string | null {
  if (change.action === "DELETE") return null;
  const keys = relation.columns.filter((column) => column.key);
  if (keys.length === 0) return "Error 400: Bad Request, no primary key";
  return keys.every(({ name }) => readable.includes(name)) ? null : "Error 401: Unauthorized";
}

/** Finds the deliveries whose rows the policies hide. A deleted row cannot be checked. */
async function findHidden(db: Database, log: Log, deliveries: Delivery[], claims: Claims) {
  const hidden = new Set<Delivery>();
  const checked = deliveries.filter(
    ({ change, refusal }) => change.action !== "DELETE" && !refusal,
  );
  for (const [relation, same] of groupBy(checked, (one) => one.relation)) {
    const policy = same[0]?.access.policy ?? null;
    if (policy === null) continue;
    const records = same.map(({ change }) => objectJson(change.fields ?? []));
    const answers = await passPolicies(db, log, relation, policy, claims, records);
    same.forEach((one, i) => {
      if (!answers[i]) hidden.add(one);
    });
  }
  return hidden;
}

/** The JSON of changes that were sent, by role and selected columns. */
type Written = Map<Change, Map<string, string>>;

/** Sends one change. It is serialized once for each role and set of selected columns. */
function send(
  { change, relation, access, refusal, audience }: Delivery,
  role: string,
  written: Written,
  stillListens: (listener: Listener) => boolean,
) {
  const known = written.get(change) ?? new Map<string, string>();
  written.set(change, known);
  for (const { listener, bindings } of audience) {
    if (!stillListens(listener)) continue;
    for (const [select, same] of groupBy(bindings, ({ select }) => JSON.stringify(select))) {
      const key = `${role} ${select}`;
      const data =
        known.get(key) ??
        (refusal
          ? refusalJson(change, relation, refusal)
          : changeJson(change, relation, access.columns, same[0]?.select ?? null));
      known.set(key, data);
      listener.hear(
        same.map(({ id }) => id),
        data,
      );
    }
  }
}

/** Evaluates each distinct filter once per relation; returns which change passes which filter. */
async function filterChanges(
  db: Database,
  log: Log,
  changes: Change[],
  recipients: Recipient[],
  relations: Map<string, Relation>,
): Promise<(change: Change, binding: Binding) => boolean> {
  const passed = new Map<Change, Set<string>>();
  for (const [oid, ofRelation] of groupBy(changes, (change) => change.relation)) {
    const relation = relations.get(oid);
    const filtering = recipients
      .flatMap(({ bindings }) => bindings)
      .filter(({ filters, relations: asked }) => filters.length > 0 && asked.has(oid));
    if (!relation || filtering.length === 0) continue;
    const distinct = [...new Map(filtering.map((b) => [b.filtersKey, b.filters]))];
    const records = ofRelation.map((c) => objectJson(c.fields ?? identityFields(c, relation)));
    const conjunctions = distinct.map(([, filters]) => filters);
    const answers = await passFilters(db, log, relation, conjunctions, records);
    const identity = new Set(relation.columns.filter((c) => c.identity).map((c) => c.name));
    ofRelation.forEach((change, i) => {
      const known = (filters: Filter[]) =>
        change.action !== "DELETE" || filters.every(({ column }) => identity.has(column));
      const keys = distinct.filter(([, filters], f) => answers[i]?.[f] && known(filters));
      passed.set(change, new Set(keys.map(([key]) => key)));
    });
  }
  return (change, { filters, filtersKey }) =>
    filters.length === 0 || passed.get(change)?.has(filtersKey) === true;
}
