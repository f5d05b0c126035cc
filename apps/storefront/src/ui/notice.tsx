import { createStore, useStore } from "./store";

/** The last short message, which the page shows and screen readers speak. */
export const notice = createStore("");

const SHOWN_MS = 6000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function showNotice(text: string): void {
  notice.set(text);
  clearTimeout(timer);
  timer = setTimeout(() => notice.set(""), SHOWN_MS);
}

export function Notice() {
  const text = useStore(notice);
  return (
    <div class="notice" role="status" data-shown={text !== ""}>
      {text}
    </div>
  );
}
