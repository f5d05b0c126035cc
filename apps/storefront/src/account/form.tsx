import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { ErrorNote } from "../app/error-note";
import { useAction } from "../lib/use-action";

/** A form with a heading. It passes its fields as strings, and shows errors. */
export function AccountForm({
  title,
  submit,
  onSubmit,
  children,
}: {
  title: string;
  submit: string;
  onSubmit(text: (name: string) => string): Promise<void>;
  children: ComponentChildren;
}) {
  const id = useId();
  const action = useAction((form: FormData) => onSubmit((name) => String(form.get(name) ?? "")));
  return (
    <form
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        void action.run(new FormData(event.currentTarget));
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <ErrorNote error={action.error} />
      <button type="submit" disabled={action.busy}>
        {submit}
      </button>
    </form>
  );
}
