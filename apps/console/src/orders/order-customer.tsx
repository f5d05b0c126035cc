import type { Order } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { Facts } from "../components/facts";
import { useCustomerNames } from "./customer-names";

export function OrderCustomer({ order }: { order: Order }) {
  const { t } = useTranslation();
  const { contact, shipping_address: address } = order;
  const names = useCustomerNames([[order]]);
  const name = contact?.name ?? names.get(order.customer_id);
  if (!name && !contact && !address) return null;
  return (
    <Card title={t("orders.customer")}>
      <Facts
        facts={[
          [t("fields.name"), name],
          [t("fields.email"), contact && <a href={`mailto:${contact.email}`}>{contact.email}</a>],
          [t("fields.phone"), contact?.phone],
          [
            t("orders.address"),
            address && (
              <span>
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
