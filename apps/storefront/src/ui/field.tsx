import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { t } from "./texts";

type Input = Omit<JSX.IntrinsicElements["input"], "label">;

/** A text field with its label. `refused`: the API refused its value. */
export function Field({ label, refused, ...input }: Input & { label: string; refused?: boolean }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...input}
        aria-invalid={refused}
        aria-describedby={refused ? `${id}-error` : undefined}
      />
      {refused && (
        <p class="bad" id={`${id}-error`}>
          {t("error.VALIDATION_ERROR")}
        </p>
      )}
    </div>
  );
}
