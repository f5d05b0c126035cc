import type { ReactNode } from "react";
import { Dialog } from "./dialog";
import { Form } from "./form";

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm({
  title,
  children,
  submit,
  action,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  submit: string;
  action: { error: Error | null; isPending: boolean };
  onConfirm(): void;
  onClose(): void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={action} onSubmit={onConfirm} submit={submit} danger onCancel={onClose}>
        <p>{children}</p>
      </Form>
    </Dialog>
  );
}
