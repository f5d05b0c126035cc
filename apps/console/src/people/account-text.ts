import type { Customer } from "@souk/client";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";

/** Returns a function that says whether a customer has an account. */
export function useAccountText(): (customer: Customer) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ is_guest, user_id }) => {
      if (is_guest) return t("customers.guest");
      return user_id ? t("common.yes") : t("common.no");
    },
    [t],
  );
}
