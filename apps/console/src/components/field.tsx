import { Field } from "@base-ui/react/field";
import { Switch } from "@base-ui/react/switch";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { numberFrom } from "../lib/numbers";
import { Button } from "./button";
import { Icon } from "./icon";

interface FieldProps {
  /** The path of the field in the API's record: `variants[0].price`. Errors of the API refer to it. */
  name: string;
  label: string;
  hint?: ReactNode;
  /** Hides the label visually, when the column's heading is the same. */
  bare?: boolean;
}

interface FrameProps extends FieldProps {
  /** The type of the control. */
  type?: string;
  /** Returns the error of a value before it is sent, or null. */
  validate?: (value: unknown) => string | null;
  children: ReactNode;
}

/** A label, a control, a hint, and the API's error of the field. */
function Frame({ name, label, hint, bare, type, validate, children }: FrameProps) {
  return (
    <Field.Root name={name} validate={validate} className="field">
      <Field.Label className={bare ? "hidden" : "field-label"}>{label}</Field.Label>
      {children}
      {hint && <Field.Description className="field-hint">{hint}</Field.Description>}
      <FieldError type={type} />
    </Field.Root>
  );
}

/** The error of a field. The browser's own texts are not in the language of the page. */
function FieldError({ type }: { type?: string }) {
  const { t } = useTranslation();
  return (
    <Field.Validity>
      {({ validity }) => {
        if (validity.valueMissing) {
          return <Field.Error className="field-error">{t("rules.missing")}</Field.Error>;
        }
        if (validity.typeMismatch) {
          const rule = type === "email" ? "rules.email" : "rules.address";
          return <Field.Error className="field-error">{t(rule)}</Field.Error>;
        }
        return <Field.Error className="field-error" />;
      }}
    </Field.Validity>
  );
}

interface TextFieldProps
  extends FieldProps,
    Pick<
      ComponentProps<"input">,
      "type" | "autoComplete" | "required" | "inputMode" | "placeholder" | "disabled" | "autoFocus"
    > {
  value: string;
  onChange(value: string): void;
  multiline?: boolean;
}

export function TextField({ value, onChange, multiline, ...props }: TextFieldProps) {
  const { t } = useTranslation();
  const { name, label, hint, bare, ...input } = props;
  const isNumber = input.inputMode === "numeric" || input.inputMode === "decimal";
  const validate = (typed: unknown) =>
    isNumber && String(typed).trim() !== "" && numberFrom(String(typed)) === undefined
      ? t("common.notANumber")
      : null;
  return (
    <Frame name={name} label={label} hint={hint} bare={bare} type={input.type} validate={validate}>
      <Field.Control
        {...input}
        className="control"
        value={value}
        onValueChange={onChange}
        render={multiline ? <textarea rows={4} /> : undefined}
      />
    </Frame>
  );
}

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  options: readonly Option<NoInfer<Value>>[];
  value: Value;
  onChange(value: NoInfer<Value>): void;
  disabled?: boolean;
  /** Refuses the empty option. */
  required?: boolean;
}

export function SelectField<Value extends string>({
  options,
  value,
  onChange,
  disabled,
  required,
  ...frame
}: SelectFieldProps<Value>) {
  return (
    <Frame {...frame}>
      <Field.Control
        className="control select"
        value={value}
        disabled={disabled}
        required={required}
        onValueChange={(chosen) => {
          const option = options.find(({ value }) => value === chosen);
          if (option) onChange(option.value);
        }}
        render={
          <select>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
        }
      />
    </Frame>
  );
}

interface PickFieldProps extends FieldProps {
  options: readonly Option[];
  /** The text while nothing is chosen. */
  none: string;
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

/** Chooses several options. Each one chosen is a button that removes it. */
export function PickField({ options, none, chosen, onChange, ...frame }: PickFieldProps) {
  const { t } = useTranslation();
  const labelOf = (id: string) => options.find(({ value }) => value === id)?.label ?? "…";
  const others = options.filter(({ value }) => !chosen.includes(value));
  return (
    <Frame {...frame}>
      <Field.Control
        className="control select"
        value=""
        onValueChange={(picked) => {
          const option = others.find(({ value }) => value === picked);
          if (option) onChange([...chosen, option.value]);
        }}
        render={
          <select>
            <option value="">{chosen.length > 0 ? t("common.add") : none}</option>
            {others.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
        }
      />
      {chosen.length > 0 && (
        <div className="filters">
          {chosen.map((id) => (
            <Button
              key={id}
              aria-label={`${t("common.remove")}: ${labelOf(id)}`}
              onClick={() => onChange(chosen.filter((one) => one !== id))}
            >
              {labelOf(id)}
              <Icon name="close" />
            </Button>
          ))}
        </div>
      )}
    </Frame>
  );
}

interface SwitchFieldProps extends FieldProps {
  checked: boolean;
  onChange(checked: boolean): void;
}

export function SwitchField({ name, label, hint, checked, onChange }: SwitchFieldProps) {
  return (
    <Field.Root name={name} className="field">
      <Field.Label className="switch-label">
        <Switch.Root checked={checked} onCheckedChange={onChange} className="switch">
          <Switch.Thumb className="switch-thumb" />
        </Switch.Root>
        {label}
      </Field.Label>
      {hint && <Field.Description className="field-hint">{hint}</Field.Description>}
      <Field.Error className="field-error" />
    </Field.Root>
  );
}
