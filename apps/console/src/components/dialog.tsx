import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon";

/** A modal dialog. */
export function Dialog({
  title,
  lead,
  onClose,
  children,
}: {
  title: string;
  lead?: ReactNode;
  onClose(): void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <BaseDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="backdrop" />
        <BaseDialog.Popup className="dialog">
          <header className="dialog-head">
            <BaseDialog.Title>{title}</BaseDialog.Title>
            <BaseDialog.Close className="button button-quiet" aria-label={t("common.close")}>
              <Icon name="close" />
            </BaseDialog.Close>
          </header>
          {lead && <BaseDialog.Description className="muted">{lead}</BaseDialog.Description>}
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
