import { Toast } from "@base-ui/react/toast";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon";

/** Shows the short messages of `lib/toasts`. */
export function Toasts() {
  const { t } = useTranslation();
  const { toasts } = Toast.useToastManager();
  return (
    <Toast.Portal>
      <Toast.Viewport className="toasts">
        {toasts.map((toast) => (
          <Toast.Root key={toast.id} toast={toast} className="toast">
            <Toast.Content className="toast-content">
              <div>
                <Toast.Title className="toast-title" />
                <Toast.Description className="toast-text" />
              </div>
              <Toast.Action className="button button-plain" />
              <Toast.Close className="button button-quiet" aria-label={t("common.close")}>
                <Icon name="close" />
              </Toast.Close>
            </Toast.Content>
          </Toast.Root>
        ))}
      </Toast.Viewport>
    </Toast.Portal>
  );
}
