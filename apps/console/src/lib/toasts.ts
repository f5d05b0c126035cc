import { Toast } from "@base-ui/react/toast";

/** Short messages in the corner of the page. */
export const toasts = Toast.createToastManager();

/** Says that something is done, with a button that takes it back where that is possible. */
export function toastDone(title: string, undo?: { label: string; run: () => void }): void {
  toasts.add({
    title,
    type: "success",
    timeout: undo ? 10_000 : 4_000,
    ...(undo && { actionProps: { children: undo.label, onClick: undo.run } }),
  });
}

/** Says that something failed where no form is there to say it. */
export function toastError(title: string, description: string): void {
  toasts.add({ title, description, type: "error", priority: "high", timeout: 10_000 });
}
