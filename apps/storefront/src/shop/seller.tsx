import type { LegalIdentity, Supplier } from "@souk/client";
import { t } from "../ui/texts";
import { useShop } from "./shop";
import { useAnswer } from "./use-answer";

/** The fields of a legal identity, in the order in which they are shown. */
const FIELDS = ["name", "address", "email", "phone", "register_number", "tax_id"] as const;

const statedIn = (legal: LegalIdentity) => FIELDS.filter((field) => legal[field]);

/** The texts of a legal identity, of a manufacturer or of a person, under their titles. */
export function Facts({ facts }: { facts: [title: string, text: string | null | undefined][] }) {
  return (
    <dl class="legal">
      {facts.map(
        ([title, text]) =>
          text && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>
                <bdi>{text}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** The legal identity of a seller, as far as it is known. */
export function Legal({ legal }: { legal: LegalIdentity }) {
  const stated = statedIn(legal);
  if (stated.length === 0) return null;
  return <Facts facts={stated.map((field) => [t(`seller.${field}`), legal[field]])} />;
}

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
  if (supplier === null) {
    return (
      <p class="seller">
        {t("seller.soldBy")} <bdi>{marketplace.name}</bdi>
      </p>
    );
  }
  return (
    <div class="seller">
      <p>
        {t("seller.soldBy")}{" "}
        {seller && (
          <a href={`/sellers/${supplier}`}>
            <bdi>{seller.name}</bdi>
          </a>
        )}
      </p>
      {seller && statedIn(seller.legal).length > 0 && (
        <details open={isOpen}>
          <summary>{t("seller.details")}</summary>
          <Legal legal={seller.legal} />
        </details>
      )}
    </div>
  );
}
