import { Form as BaseForm } from "@base-ui/react/form";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { errorsByField } from "../lib/errors";
import { Button } from "./button";
import { ErrorNote } from "./error-note";

interface FormProps {
  /** The mutation that the form runs. */
  action: { error: Error | null; isPending: boolean };
  onSubmit(): void;
  /** The text of the button. Default "Save". */
  submit?: string;
  /** Whether the button is as wide as the form. */
  wide?: boolean;
  danger?: boolean;
  onCancel?: () => void;
  /** Reads the record again after somebody else has changed it. */
  onReadAgain?: () => void;
  children: ReactNode;
}

/** A form that shows each error of the API at its field. */
export function Form({
  action,
  onSubmit,
  submit,
  wide,
  danger,
  onCancel,
  onReadAgain,
  children,
}: FormProps) {
  const { t } = useTranslation();
  const { error, isPending } = action;
  const errors = useMemo(() => errorsByField(error), [error]);
  return (
    <BaseForm className="form" errors={errors} onFormSubmit={onSubmit}>
      {children}
      {error && <ErrorNote error={error} onReadAgain={onReadAgain} />}
      <div className={wide ? "form-foot form-foot-wide" : "form-foot"}>
        {onCancel && <Button onClick={onCancel}>{t("common.cancel")}</Button>}
        <Button type="submit" variant={danger ? "danger" : "primary"} pending={isPending}>
          {submit ?? t("common.save")}
        </Button>
      </div>
    </BaseForm>
  );
}
