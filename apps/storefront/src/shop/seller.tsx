import type { LegalIdentity, Supplier } from "@souk/client";
import { t } from "../ui/texts";
import { useShop } from "./shop";
import { useAnswer } from "./use-answer";

/** The fields of a legal identity, in the order in which they are shown. */
const FIELDS = ["name", "address", "email", "phone", "register_number", "tax_id"] as const;

/** The texts of a legal identity, of a manufacturer or of a person, under their titles. */
export function Facts({ facts }: { facts: [title: string, text: string | null | undefined][] }) {
  const known = facts.filter(([, text]) => text);
  if (known.length === 0) return null;
  return (
    <dl class="legal">
      {known.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            <bdi>{text}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The legal identity of a seller, as far as it is known. */
export const Legal = ({ legal }: { legal: LegalIdentity }) => (
  <Facts facts={FIELDS.map((field) => [t(`seller.${field}`), legal[field]])} />
);

/** Who sells something, with a link to the seller's page. `isOpen`: the legal identity is visible at once. */
export function SoldBy({
  supplier,
  isOpen = false,
}: {
  supplier: string | null;
  isOpen?: boolean;
}) {
  const { souk, marketplace } = useShop();
  const { value: seller } = useAnswer(
    "seller",
    async (signal): Promise<Supplier | null> =>
      supplier === null ? null : souk.suppliers.get(supplier, { signal }),
    [supplier],
  );
  return (
    <div class="seller">
      <p>
        {t("seller.soldBy")} {supplier === null && <bdi>{marketplace.name}</bdi>}
        {seller && (
          <a href={`/sellers/${supplier}`}>
            <bdi>{seller.name}</bdi>
          </a>
        )}
      </p>
      {seller && FIELDS.some((field) => seller.legal[field]) && (
        <details open={isOpen}>
          <summary>{t("seller.details")}</summary>
          <Legal legal={seller.legal} />
        </details>
      )}
    </div>
  );
}
