import type { Dashboard } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { PANELS, type Panel, panelsOf, widgetOf } from "./panels";

/** Chooses the panels of a dashboard and their order. */
export function Arrange({ dashboard, onClose }: { dashboard?: Dashboard; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [panels, setPanels] = useState<readonly Panel[]>(() => panelsOf(dashboard));
  const save = useMutation({
    mutationFn: () => {
      const record = {
        name: dashboard?.name ?? t("overview.title"),
        widgets: panels.map((panel) => widgetOf(panel, t(`overview.panels.${panel}`))),
      };
      return dashboard
        ? souk.dashboards.update(dashboard.id, { ...record, updated_at: dashboard.updated_at })
        : souk.dashboards.create(record);
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["dashboards"] });
      onClose();
    },
  });
  const moveUp = (place: number) => {
    const moved = panels.toSpliced(place, 1);
    setPanels(moved.toSpliced(place - 1, 0, ...panels.slice(place, place + 1)));
  };
  return (
    <Dialog title={t("overview.arrange")} lead={t("overview.arrangeHint")} onClose={onClose}>
      <Form action={save} onSubmit={() => save.mutate()} onCancel={onClose}>
        <ul className="lines">
          {panels.map((panel, place) => (
            <li key={panel}>
              <span>{t(`overview.panels.${panel}`)}</span>
              <span className="line-actions">
                <Button
                  variant="quiet"
                  disabled={place === 0}
                  aria-label={`${t("overview.moveUp")}: ${t(`overview.panels.${panel}`)}`}
                  onClick={() => moveUp(place)}
                >
                  {t("overview.moveUp")}
                </Button>
                <Button
                  variant="quiet"
                  disabled={panels.length === 1}
                  aria-label={`${t("common.remove")}: ${t(`overview.panels.${panel}`)}`}
                  onClick={() => setPanels(panels.filter((one) => one !== panel))}
                >
                  {t("common.remove")}
                </Button>
              </span>
            </li>
          ))}
          {PANELS.filter((panel) => !panels.includes(panel)).map((panel) => (
            <li key={panel}>
              <span className="muted">{t(`overview.panels.${panel}`)}</span>
              <Button
                aria-label={`${t("common.add")}: ${t(`overview.panels.${panel}`)}`}
                onClick={() => setPanels([...panels, panel])}
              >
                {t("common.add")}
              </Button>
            </li>
          ))}
        </ul>
      </Form>
    </Dialog>
  );
}
