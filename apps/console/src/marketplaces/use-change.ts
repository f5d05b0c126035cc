import type { Marketplace, MarketplaceChanges } from "@souk/client";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { type Edit, type Typing, useRecordForm } from "../lib/record-form";
import { useSouk } from "../lib/souk";
import { useUnsaved } from "../lib/unsaved";

/** The changes of a marketplace by the forms of its page, which share one record. */
export interface MarketplaceEditing {
  /** The latest state that the page has read. */
  marketplace: Marketplace;
  /** Sends changes of a state. Refused with CONFLICT if somebody else has changed it since. */
  change(changes: MarketplaceChanges, read: Marketplace): Promise<Marketplace>;
  reread(): Promise<Marketplace>;
  /** The state after the page's own changes to a state. */
  after(read: Marketplace): Marketplace;
  /** What was typed in a form of the page. It survives a change of the tab. */
  typingIn<Values>(form: string): Typing<Marketplace, Values>;
}

export function useMarketplaceEditing(marketplace: Marketplace): MarketplaceEditing {
  const souk = useSouk();
  const queries = useQueryClient();
  /** The states that the page's own changes led to, by the updated_at of the states before them. */
  const [own, setOwn] = useState<Readonly<Record<string, Marketplace>>>({});
  const [edits, setEdits] = useState<Readonly<Record<string, Edit<Marketplace, unknown> | null>>>(
    {},
  );
  useUnsaved(Object.values(edits).some((edit) => edit && Object.keys(edit.typed).length > 0));
  const { id } = marketplace;
  const keep = useCallback(
    (saved: Marketplace) => {
      queries.setQueryData(["marketplaces", "one", id], saved);
      return saved;
    },
    [queries, id],
  );
  return {
    marketplace,
    async change(changes, { updated_at }) {
      const saved = await souk.marketplaces.update(id, { ...changes, updated_at });
      setOwn((before) => ({ ...before, [updated_at]: saved }));
      keep(saved);
      await queries.invalidateQueries({ queryKey: ["marketplaces"] });
      return saved;
    },
    reread: async () => keep(await souk.marketplaces.get(id)),
    after(read) {
      let state = read;
      for (let next = own[state.updated_at]; next; next = own[state.updated_at]) state = next;
      return state;
    },
    typingIn<Values>(form: string): Typing<Marketplace, Values> {
      const editIn = (all: typeof edits) => (all[form] ?? null) as Edit<Marketplace, Values> | null;
      return {
        edit: editIn(edits),
        change: (update) => setEdits((all) => ({ ...all, [form]: update(editIn(all)) })),
      };
    },
  };
}

/** One form of the page, by its name. `changesOf` makes the changes to send from the values that were changed. */
export function useMarketplaceForm<Values extends object>(
  { marketplace, change, reread, after, typingIn }: MarketplaceEditing,
  name: string,
  valuesOf: (marketplace: Marketplace) => Values,
  changesOf: (changed: Partial<Values>, read: Marketplace) => MarketplaceChanges,
) {
  return useRecordForm<Marketplace, Values>({
    record: marketplace,
    valuesOf,
    save: (changed, read) => change(changesOf(changed, read), read),
    reread,
    after,
    typing: typingIn(name),
  });
}
