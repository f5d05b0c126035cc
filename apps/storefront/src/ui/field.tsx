import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { t } from "./texts";

type Props = Omit<JSX.IntrinsicElements["input"], "label" | "placeholder"> & {
  label: string;
  /** An example of its values. It is shown again if the API refused one. */
  placeholder?: string | undefined;
  refused?: boolean;
  /** What is wrong with a refused value. */
  reason?: string;
  as?: "input" | "select" | "textarea";
};

/** A field for an e-mail address, which has to be given. */
export const EmailField = (props: Omit<Props, "label">) => (
  <Field
    label={t("account.email")}
    name="email"
    type="email"
    autocomplete="email"
    required
    {...props}
  />
);

/** A field with its label. The options of a select are its children. */
export function Field({ label, refused, reason, as = "input", ...input }: Props) {
  const id = useId();
  const Control = as as "input";
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control
        id={id}
        {...input}
        aria-invalid={refused}
        aria-describedby={refused ? `${id}-error` : undefined}
      />
      {refused && (
        <p class="bad" id={`${id}-error`}>
          {reason ?? t("error.VALIDATION_ERROR")}{" "}
          {input.placeholder && t("error.example", { example: input.placeholder })}
        </p>
      )}
    </div>
  );
}
