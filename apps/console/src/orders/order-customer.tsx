import type { Address, Order } from "@souk/client";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { Facts } from "../components/facts";
import { useCustomerNames } from "./customer-names";

/** The lines of an address, with the name of its country in a language. */
function linesOf(address: NonNullable<Address>, language: string): string[] {
  const { name, company, street, postal_code, city, region, country, phone } = address;
  const regions = new Intl.DisplayNames(language, { type: "region" });
  const place = [postal_code, city].filter(Boolean).join(" ");
  const lines = [
    name,
    company,
    ...street.split("\n"),
    place,
    region,
    country && regions.of(country),
    phone,
  ];
  return lines.flatMap((line) => line || []);
}

const Lines = ({ of }: { of: readonly string[] }) => (
  <span>
    {of.map((line, place) => (
      <Fragment key={place}>
        {place > 0 && <br />}
        <bdi>{line}</bdi>
      </Fragment>
    ))}
  </span>
);

export function OrderCustomer({ order }: { order: Order }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { contact, shipping_address: address, billing_address: billing } = order;
  const isOther = JSON.stringify(billing) !== JSON.stringify(address);
  const names = useCustomerNames([[order]]);
  const name = contact?.name ?? names.get(order.customer_id);
  if (!name && !contact && !address && !billing) return null;
  return (
    <Card title={t("orders.customer")}>
      <Facts
        facts={[
          [t("fields.name"), name],
          [t("fields.email"), contact && <a href={`mailto:${contact.email}`}>{contact.email}</a>],
          [t("fields.phone"), contact?.phone],
          [t("orders.address"), address && <Lines of={linesOf(address, language)} />],
          [
            t("orders.billingAddress"),
            billing && isOther && <Lines of={linesOf(billing, language)} />,
          ],
          [t("orders.taxId"), order.tax_id],
        ]}
      />
    </Card>
  );
}
