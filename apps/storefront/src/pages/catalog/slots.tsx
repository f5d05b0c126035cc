import { ApiError, type Product, type ServiceSlotList } from "@souk/client";
import { useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { t, time } from "../../ui/texts";

/** The free slots of a service; null for products without slots, and before they are loaded. */
export function useSlots({ id, kind }: Product): ServiceSlotList | null {
  const { souk } = useShop();
  const slots = useAnswer(
    "slots",
    async (signal) => {
      if (kind !== "service") return null;
      try {
        return await souk.calendars.slots(id, {}, { signal });
      } catch (error) {
        // The service has no calendar.
        if (error instanceof ApiError && error.code === "NOT_FOUND") return null;
        throw error;
      }
    },
    [id, kind],
  );
  return slots.value ?? null;
}

/** Chooses a slot by its local text, which is also its time for an order. */
export function SlotChoice({
  slots,
  chosen,
  onChoose,
}: {
  slots: ServiceSlotList;
  chosen: string | undefined;
  onChoose(slot: string): void;
}) {
  if (slots.total === 0) return <p class="bad">{t("product.noSlots")}</p>;
  return (
    <label>
      {t("product.slot")}
      <select value={chosen ?? ""} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="" disabled>
          {t("product.chooseSlot")}
        </option>
        {slots.slots.map(({ starts_at_local, available }) => (
          <option key={starts_at_local} value={starts_at_local}>
            {t("product.slotOption", { time: time(starts_at_local), count: available })}
          </option>
        ))}
      </select>
    </label>
  );
}
