import { Toast } from "@base-ui/react/toast";

/** Short messages in the corner of the page. */
export const toasts = Toast.createToastManager();

/** Shows that an action is done, optionally with a button that undoes it. */
export function toastDone(title: string, undo?: { label: string; run: () => void }): void {
  toasts.add({
    title,
    type: "success",
    timeout: undo ? 10_000 : 4_000,
    ...(undo && { actionProps: { children: undo.label, onClick: undo.run } }),
  });
}

/** Shows an error of an action without a form. */
export function toastError(title: string, description: string): void {
  toasts.add({ title, description, type: "error", priority: "high", timeout: 10_000 });
}
