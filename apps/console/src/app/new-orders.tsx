import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useLive } from "../lib/live";
import { toasts } from "../lib/toasts";

/** Listens to orders on every page, and shows a message for each new one. */
export function NewOrders() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useLive("orders", ["orders"], (change) => {
    // Imported past orders are not new.
    if (change.eventType !== "INSERT" || change.new.imported_at !== null) return;
    const { id, number } = change.new;
    const toast = toasts.add({
      title: t("orders.arrived", { number }),
      timeout: 10_000,
      actionProps: {
        children: t("common.open"),
        onClick: () => {
          toasts.close(toast);
          void navigate({ to: "/orders/$orderId", params: { orderId: id } });
        },
      },
    });
  });
  return null;
}
