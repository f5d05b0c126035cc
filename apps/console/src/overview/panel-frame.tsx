import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import type { Panel } from "./panels";

/** A panel of figures that are read from the API. */
export function PanelFrame<Answer>({
  panel,
  figures,
  children,
}: {
  panel: Panel;
  figures: UseQueryResult<Answer>;
  children(answer: Answer): ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Card title={t(`overview.panels.${panel}`)}>
      {figures.error && <ErrorNote error={figures.error} onRetry={() => figures.refetch()} />}
      {figures.isPending && <Loading />}
      {figures.data !== undefined && children(figures.data)}
    </Card>
  );
}
