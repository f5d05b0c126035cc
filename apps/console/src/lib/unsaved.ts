import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

/** Asks before a page is left, or the tab is closed, while something was typed and not saved. */
export function useUnsaved(hasEdits: boolean): void {
  const { t } = useTranslation();
  useBlocker({
    disabled: !hasEdits,
    enableBeforeUnload: hasEdits,
    // A page's own filters and tabs are in the query of its address.
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && !window.confirm(t("common.leaveUnsaved")),
  });
}
