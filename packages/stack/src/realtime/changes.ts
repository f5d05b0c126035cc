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
import { type Access, type Relation, readRelations } from "./relations.js";
import { isVisible, readSnapshot, type Snapshot } from "./snapshot.js";
import { type Binding, resolveWish, type Wish } from "./subscriptions.js";
import { createTurns } from "./turns.js";
import { passFilters, passPolicies } from "./visibility.js";

/** Checks of so many subscribers' identities run at once. */
const CHECKS_AT_ONCE = 4;

/** Somebody who hears changes: a channel. */
export interface Listener {
  /** Read anew for every batch of changes, so that a refreshed token counts at once. */
  claims(): Claims;
  /** `data` is JSON; `ids` are those of the bindings it answers. */
  hear(ids: number[], data: string): void;
  /** Other tables are published by now: what was subscribed to may be others, or none. */
  subscribeAnew(): void;
}

export interface Changes extends Pick<Capture, "hold" | "release"> {
  /**
   * From when it resolves, the listener hears every change committed from then on. Subscribing again
   * replaces what was asked before. Throws `SubscriptionRefused`, or a database error when a table
   * stays locked.
   */
  subscribe(listener: Listener, wishes: ReadonlyMap<number, Wish>): Promise<void>;
  unsubscribe(listener: Listener): void;
  close(): Promise<void>;
}

interface Subscription {
  listener: Listener;
  bindings: Binding[];
  since: Snapshot;
}

/** A subscription as one batch meets it: with the identity it had when the batch was taken. */
interface Hearing extends Subscription {
  claims: Claims;
}

export async function createChanges(
  db: Database,
  log: Log,
  hearMessage: (row: Field[]) => void,
): Promise<Changes> {
  const subscriptions = new Map<Listener, Subscription>();
  // Taking a batch and taking the snapshot of a new subscription never overlap, so that no change
  // falls between the two.
  const inTurn = createTurns();

  const capture = await createCapture(db, log, inTurn, {
    hearings: () =>
      new Set([...subscriptions.values()].map((s) => ({ ...s, claims: s.listener.claims() }))),
    hearMessage,
    publicationChanged() {
      for (const listener of subscriptions.keys()) listener.subscribeAnew();
    },
    hearChanges: (changes, hearings: Set<Hearing>) =>
      deliver(db, log, changes, hearings, (listener) => subscriptions.has(listener)),
  });

  return {
    hold: capture.hold,
    release: capture.release,
    async subscribe(listener, wishes) {
      await capture.follow();
      await inTurn(async () => {
        const bindings: Binding[] = [];
        for (const [id, wish] of wishes) {
          bindings.push(await resolveWish(db, wish, id, listener.claims()));
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
 * Tells every hearing the changes that it asked for, that pass its filters and that it may see; takes
 * it out of `hearings` then.
 */
async function deliver(
  db: Database,
  log: Log,
  changes: Change[],
  hearings: Set<Hearing>,
  stillListens: (listener: Listener) => boolean,
): Promise<void> {
  const asking = [...hearings].filter((h) => changes.some((change) => asks(h, change).length > 0));
  if (asking.length === 0) return;
  const oids = new Set(changes.map((change) => change.relation));
  const roles = new Set(asking.map((hearing) => hearing.claims.role));
  const relations = await readRelations(db, oids, roles);
  const passes = await filterChanges(db, log, changes, asking, relations);

  /** The subscriptions of one identity, in the order of the changes. */
  function toldOf(same: Hearing[], { role }: Claims): Told[] {
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

  const identities = [...groupBy(asking, (hearing) => JSON.stringify(hearing.claims)).values()];
  const work = async () => {
    for (let same = identities.shift(); same; same = identities.shift()) {
      const { claims } = same[0] as Hearing;
      const told = toldOf(same, claims);
      const hidden = await findHidden(db, log, told, claims);
      for (const one of told) if (!hidden.has(one)) tell(one, stillListens);
      for (const hearing of same) hearings.delete(hearing);
    }
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work));
}

/** A change and who of one identity asked for it. */
interface Told {
  change: Change;
  relation: Relation;
  access: Access;
  refusal: string | null;
  audience: { listener: Listener; bindings: Binding[] }[];
}

const asks = ({ bindings, since }: Hearing, { relation, action, transaction }: Change) =>
  bindings.filter(
    ({ relations, event }) =>
      relations.has(relation) &&
      (event === "*" || event === action) &&
      !isVisible(since, transaction),
  );

/** Why a role hears of an insert or update without learning what it was; null where it learns it. */
function refusalOf(change: Change, relation: Relation, readable: string[]): string | null {
  if (change.action === "DELETE") return null;
  const keys = relation.columns.filter((column) => column.key);
  if (keys.length === 0) return "Error 400: Bad Request, no primary key";
  return keys.every(({ name }) => readable.includes(name)) ? null : "Error 401: Unauthorized";
}

/** Those whose rows the policies do not show. Nobody can check the row that a deletion took away. */
async function findHidden(db: Database, log: Log, told: Told[], claims: Claims) {
  const hidden = new Set<Told>();
  const checked = told.filter(({ change, refusal }) => change.action !== "DELETE" && !refusal);
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

/** Sends one change, written once for all who chose the same columns. */
function tell(
  { change, relation, access, refusal, audience }: Told,
  stillListens: (listener: Listener) => boolean,
) {
  const written = new Map<string, string>();
  for (const { listener, bindings } of audience) {
    if (!stillListens(listener)) continue;
    for (const [key, same] of groupBy(bindings, ({ select }) => JSON.stringify(select))) {
      const data =
        written.get(key) ??
        (refusal
          ? refusalJson(change, relation, refusal)
          : changeJson(change, relation, access.columns, same[0]?.select ?? null));
      written.set(key, data);
      listener.hear(
        same.map(({ id }) => id),
        data,
      );
    }
  }
}

/** Evaluates each distinct filter once per relation; answers which change passes which. */
async function filterChanges(
  db: Database,
  log: Log,
  changes: Change[],
  hearings: Hearing[],
  relations: Map<string, Relation>,
): Promise<(change: Change, binding: Binding) => boolean> {
  const passed = new Map<Change, Set<string>>();
  for (const [oid, ofRelation] of groupBy(changes, (change) => change.relation)) {
    const relation = relations.get(oid);
    const filtering = hearings
      .flatMap(({ bindings }) => bindings)
      .filter(({ filters, relations: wanted }) => filters.length > 0 && wanted.has(oid));
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
