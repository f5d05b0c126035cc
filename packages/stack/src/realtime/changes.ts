import type { Database } from "../db/database.js";
import type { Claims } from "../keys.js";
import type { Log } from "../log.js";
import { type Capture, createCapture, type Message } from "./capture.js";
import type { Filter } from "./filters.js";
import { groupBy } from "./grouping.js";
import { type Change, changeJson, identityJson } from "./payload.js";
import { type Relation, readRelations } from "./relations.js";
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
  hearMessage: (message: Message) => void,
): Promise<Changes> {
  const subscriptions = new Map<Listener, Subscription>();
  // Taking a batch and taking the snapshot of a new subscription never overlap, so that no change
  // falls between the two.
  const inTurn = createTurns();

  const capture = await createCapture(db, log, inTurn, {
    hearings: () =>
      new Set([...subscriptions.values()].map((s) => ({ ...s, claims: s.listener.claims() }))),
    hearMessage,
    hearChanges: (changes, hearings: Set<Hearing>) =>
      deliver(db, log, changes, hearings, (listener) => subscriptions.has(listener)),
  });

  return {
    hold: capture.hold,
    release: capture.release,
    async subscribe(listener, wishes) {
      await capture.follow();
      await inTurn(() =>
        db.transaction({}, async (tx) => {
          const bindings: Binding[] = [];
          for (const [id, wish] of wishes) {
            bindings.push(await resolveWish(tx, wish, id, listener.claims()));
          }
          const since = subscriptions.get(listener)?.since ?? (await readSnapshot(tx));
          subscriptions.set(listener, { listener, bindings, since });
        }),
      );
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
  const asks = (hearing: Hearing, binding: Binding, change: Change) =>
    binding.relations.has(change.relation) &&
    (binding.event === "*" || binding.event === change.action) &&
    !isVisible(hearing.since, change.transaction);
  const asking = [...hearings].filter((hearing) =>
    changes.some((change) => hearing.bindings.some((binding) => asks(hearing, binding, change))),
  );
  if (asking.length === 0) return;

  const oids = new Set(changes.map((change) => change.relation));
  const roles = new Set(asking.map((hearing) => hearing.claims.role));
  const relations = await db.transaction({}, (tx) => readRelations(tx, oids, roles));
  const passed = await filterChanges(db, log, changes, asking, relations);

  const identities = groupBy(asking, (hearing) => JSON.stringify(hearing.claims));
  const waiting = [...identities.values()];
  const work = async () => {
    for (let same = waiting.shift(); same; same = waiting.shift()) {
      const wanted = same.map((hearing) =>
        changes.map((change) =>
          hearing.bindings.filter((b) => asks(hearing, b, change) && passed(change, b)),
        ),
      );
      await deliverTo(db, log, changes, same, wanted, relations, stillListens);
      for (const hearing of same) hearings.delete(hearing);
    }
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work));
}

/** Delivers to hearings of one identity. `wanted[hearing][change]` are the bindings that ask for it. */
async function deliverTo(
  db: Database,
  log: Log,
  changes: Change[],
  hearings: Hearing[],
  wanted: Binding[][][],
  relations: Map<string, Relation>,
  stillListens: (listener: Listener) => boolean,
): Promise<void> {
  const claims = (hearings[0] as Hearing).claims;
  const visible = new Set<Change>();
  const open = changes.filter((_, c) => wanted.some((ofHearing) => ofHearing[c]?.length));
  for (const [oid, ofRelation] of groupBy(open, (change) => change.relation)) {
    const relation = relations.get(oid);
    const access = relation?.access[claims.role];
    if (!relation?.published || !access || !mayHear(relation, access.columns)) continue;
    const { policy } = access;
    const keyless = relation.columns.every((column) => !column.key);
    const checked = ofRelation.filter(
      (change) => policy !== null && change.action !== "DELETE" && !keyless,
    );
    const records = checked.map((change) => change.record ?? "{}");
    const answers =
      policy === null || records.length === 0
        ? []
        : await passPolicies(db, log, relation, policy, claims, records);
    const refused = new Set(checked.filter((_, i) => !answers[i]));
    for (const change of ofRelation) if (!refused.has(change)) visible.add(change);
  }
  changes.forEach((change, c) => {
    const relation = relations.get(change.relation);
    const readable = relation?.access[claims.role]?.columns;
    if (!relation || !readable || !visible.has(change)) return;
    const written = new Map<string, string>();
    hearings.forEach(({ listener }, h) => {
      if (!stillListens(listener)) return;
      const bySelect = groupBy(wanted[h]?.[c] ?? [], ({ select }) => JSON.stringify(select));
      for (const [key, bindings] of bySelect) {
        const select = bindings[0]?.select ?? null;
        const data = written.get(key) ?? changeJson(change, relation, readable, select);
        written.set(key, data);
        listener.hear(
          bindings.map((binding) => binding.id),
          data,
        );
      }
    });
  });
}

/** Who may not read a table's key, or any column where it has none, hears nothing of it. */
function mayHear(relation: Relation, readable: string[]): boolean {
  const keys = relation.columns.filter((column) => column.key);
  return readable.length > 0 && keys.every((column) => readable.includes(column.name));
}

/** Evaluates each distinct filter once per relation; answers which change passes which. */
async function filterChanges(
  db: Database,
  log: Log,
  changes: Change[],
  hearings: Hearing[],
  relations: Map<string, Relation>,
): Promise<(change: Change, binding: Binding) => boolean> {
  const verdicts = new Map<Change, Map<string, boolean>>();
  for (const [oid, ofRelation] of groupBy(changes, (change) => change.relation)) {
    const relation = relations.get(oid);
    if (!relation) continue;
    const distinct = new Map<string, Filter[]>();
    for (const { filters, filtersKey, relations: asked } of hearings.flatMap((h) => h.bindings)) {
      if (filters.length > 0 && asked.has(oid)) distinct.set(filtersKey, filters);
    }
    if (distinct.size === 0) continue;
    const records = ofRelation.map(
      (change) => change.record ?? identityJson(relation, change.old_record ?? "{}"),
    );
    const conjunctions = [...distinct.values()];
    const answers = await passFilters(db, log, relation, conjunctions, records);
    const identity = new Set(relation.columns.filter((c) => c.identity).map((c) => c.name));
    ofRelation.forEach((change, i) => {
      const known = (filters: Filter[]) =>
        change.action !== "DELETE" || filters.every((filter) => identity.has(filter.column));
      const ofChange = [...distinct].map(
        ([key, filters], f) => [key, known(filters) && (answers[i]?.[f] ?? false)] as const,
      );
      verdicts.set(change, new Map(ofChange));
    });
  }
  return (change, { filters, filtersKey }) =>
    filters.length === 0 || verdicts.get(change)?.get(filtersKey) === true;
}
