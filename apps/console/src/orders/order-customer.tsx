import type { Order } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { Facts } from "../components/facts";

export function OrderCustomer({ order }: { order: Order }) {
  const { t } = useTranslation();
  const { contact, shipping_address: address } = order;
  if (!contact && !address) return null;
  return (
    <Card title={t("orders.customer")}>
      <Facts
        facts={[
          [t("fields.name"), contact?.name],
          [t("fields.email"), contact && <a href={`mailto:${contact.email}`}>{contact.email}</a>],
          [t("fields.phone"), contact?.phone],
          [
            t("orders.address"),
            address && (
              <span className="address">
                {address.street}
                <br />
                {address.postal_code} {address.city}
              </span>
            ),
          ],
        ]}
      />
    </Card>
  );
}
