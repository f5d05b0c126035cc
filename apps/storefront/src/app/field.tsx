import type { JSX } from "preact";
import { useId } from "preact/hooks";

type Input = Omit<JSX.IntrinsicElements["input"], "label">;

/** A text field with its label and its error. */
export function Field({ label, error, ...input }: Input & { label: string; error?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...input}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
      />
      {error !== undefined && (
        <p class="bad" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
