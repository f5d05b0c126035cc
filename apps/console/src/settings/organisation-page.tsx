import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useSouk } from "../lib/souk";
import { SupplierForm } from "../people/supplier-form";
import { useSession } from "../session/session";

/** The organisation of a supplier. */
export function OrganisationPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const { supplier_id } = useSession();
  const supplier = useQuery({
    queryKey: ["suppliers", "one", supplier_id],
    queryFn: ({ signal }) => souk.suppliers.get(supplier_id ?? "", { signal }),
    enabled: supplier_id !== null,
  });
  return (
    <Page
      title={t("organisation.title")}
      aside={supplier.data?.verified && <Badge tone="good">{t("suppliers.verified")}</Badge>}
      lead={t("suppliers.legalHint")}
    >
      {supplier.error && <ErrorNote error={supplier.error} onRetry={() => supplier.refetch()} />}
      {supplier.isPending && <Loading />}
      {supplier.data && (
        <Card>
          <SupplierForm supplier={supplier.data} />
        </Card>
      )}
    </Page>
  );
}
