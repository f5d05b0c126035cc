import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { changedIn, onFresh } from "./edits";
import { toastDone } from "./toasts";
import { useUnsaved } from "./unsaved";

/** A record whose state its updated_at names. */
export interface Versioned {
  updated_at: string;
}

/** What was typed, and the state of the record that it belongs to. */
export interface Edit<Saved, Values> {
  read: Saved;
  typed: Partial<Values>;
}

/** What was typed in a form; null if nothing was. */
export interface Typing<Saved, Values> {
  edit: Edit<Saved, Values> | null;
  change(update: (now: Edit<Saved, Values> | null) => Edit<Saved, Values> | null): void;
}

interface RecordFormOptions<Saved extends Versioned, Values extends object> {
  /** The latest state of the record that the page has read. */
  record: Saved;
  /** The values of the form's fields in a record. */
  valuesOf(record: Saved): Values;
  /** Sends the changed values, with the updated_at of the state that they began from. */
  save(changed: Partial<Values>, read: Saved): Promise<Saved>;
  /** Reads the record again. */
  reread(): Promise<Saved>;
  /** The state after the changes that this page has made itself to a state, by other forms. */
  after?: (read: Saved) => Saved;
  /** Where it is kept what was typed, if it must survive the form. */
  typing?: Typing<Saved, Values>;
  onSaved?: (saved: Saved) => void;
}

/**
 * The form of an existing record. It holds only what was typed, over the record as it was when typing began. So it sends only
 * what was changed, and a change that somebody else has made meanwhile is neither hidden nor taken back: saving is refused
 * with CONFLICT, and reading again keeps what was typed.
 */
export function useRecordForm<Saved extends Versioned, Values extends object>({
  record,
  valuesOf,
  save,
  reread,
  after = (read) => read,
  typing,
  onSaved,
}: RecordFormOptions<Saved, Values>) {
  const { t } = useTranslation();
  const [own, setOwn] = useState<Edit<Saved, Values> | null>(null);
  const { edit, change: setEdit } = typing ?? { edit: own, change: setOwn };
  const read = edit ? after(edit.read) : record;
  const before = valuesOf(read);
  const typed = edit?.typed ?? {};
  const hasEdits = Object.keys(changedIn(before, typed)).length > 0;
  // If the page holds the typed values, closing the form loses nothing.
  useUnsaved(hasEdits && !typing);
  const saving = useMutation({
    mutationFn: (changed: Partial<Values>) => save(changed, read),
    onSuccess: (saved, changed) => {
      // What was typed since then is not saved yet.
      setEdit((now) => {
        const later = changedIn(valuesOf(saved), changedIn<Values>(changed, now?.typed ?? {}));
        return Object.keys(later).length > 0 ? { read: saved, typed: later } : null;
      });
      toastDone(t("common.saved"));
      onSaved?.(saved);
    },
  });
  const reading = useMutation({
    mutationFn: reread,
    onSuccess: (fresh) => {
      setEdit(() => ({ read: fresh, typed: onFresh(before, typed, valuesOf(fresh)) }));
      saving.reset();
    },
  });
  return {
    /** The state of the record that the typed values belong to. */
    read,
    values: { ...before, ...typed } as Values,
    set: (fields: Partial<Values>) =>
      setEdit((now) => ({ read: now?.read ?? record, typed: { ...now?.typed, ...fields } })),
    /** The properties of the `Form`. */
    form: {
      action: {
        error: reading.error ?? saving.error,
        isPending: saving.isPending || reading.isPending,
      },
      onSubmit: () => {
        const changed = changedIn(before, typed);
        if (Object.keys(changed).length > 0) saving.mutate(changed);
        else toastDone(t("common.nothingChanged"));
      },
      onReadAgain: () => reading.mutate(),
    },
  };
}
