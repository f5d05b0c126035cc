import type { ComponentChildren } from "preact";
import { ErrorNote } from "./messages";
import { useAction } from "./use-action";

/** A button that does something once at a time, and shows what went wrong. */
export function ActionButton({
  act,
  kind = "quiet",
  children,
}: {
  act(): Promise<void>;
  kind?: "quiet" | "link";
  children: ComponentChildren;
}) {
  const { busy, error, run } = useAction(act);
  return (
    <>
      <button type="button" class={kind} disabled={busy} onClick={() => run()}>
        {children}
      </button>
      <ErrorNote error={error} />
    </>
  );
}

/** A form that sends its fields once at a time, and shows what went wrong above its button. */
export function ActionForm({
  title,
  submit,
  class: name,
  disabled = false,
  onSubmit,
  children,
}: {
  /** Its accessible name. */
  title: string;
  /** The words of its button. Without them it has none. */
  submit: string | undefined;
  class?: string;
  disabled?: boolean;
  onSubmit(text: (name: string) => string): Promise<void>;
  children: ComponentChildren;
}) {
  const { busy, error, run } = useAction((form: FormData) =>
    onSubmit((name) => String(form.get(name) ?? "")),
  );
  return (
    <form
      class={name}
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void run(new FormData(event.currentTarget));
      }}
    >
      {children}
      <ErrorNote error={error} />
      {submit && (
        <button type="submit" disabled={disabled || busy}>
          {submit}
        </button>
      )}
    </form>
  );
}
