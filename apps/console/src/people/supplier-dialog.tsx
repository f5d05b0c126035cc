import type { Supplier } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SupplierForm } from "./supplier-form";

export function SupplierDialog({ supplier, onClose }: { supplier: Supplier; onClose(): void }) {
  const { t } = useTranslation();
  return (
    <Dialog title={supplier.name} lead={t("suppliers.legalHint")} onClose={onClose}>
      <SupplierForm supplier={supplier} onDone={onClose} />
    </Dialog>
  );
}
