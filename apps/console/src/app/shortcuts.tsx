import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { useMay } from "../session/session";
import { NAVIGATION } from "./navigation";
import { ShortcutsHelp } from "./shortcuts-help";

/** Maximum time between `g` and the second key, in ms. */
const SECOND_KEY_MS = 1500;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest("input, textarea, select, [role=dialog]") !== null;

/** Keyboard shortcuts of every page: `g` and a letter opens a page, `/` searches, `?` lists all of them. */
export function Shortcuts() {
  const navigate = useNavigate();
  const may = useMay();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [goAt, setGoAt] = useState(0);

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const target = document.querySelector<HTMLElement>(
      `[data-shortcut="${CSS.escape(event.key)}"]`,
    );
    const page = NAVIGATION.flat().find(({ key, needs }) => key === event.key && may(needs));
    if (event.timeStamp - goAt < SECOND_KEY_MS && page) void navigate({ to: page.to });
    else if (event.key === "?") setHelpOpen(true);
    else if (target?.matches("input")) target.focus();
    else if (target) target.click();
    else return setGoAt(event.key === "g" ? event.timeStamp : 0);
    setGoAt(0);
    event.preventDefault();
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);

  return isHelpOpen && <ShortcutsHelp onClose={() => setHelpOpen(false)} />;
}
