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
  hint,
  children,
}: {
  panel: Panel;
  /** What the figures count. */
  hint?: string;
  figures: UseQueryResult<Answer>;
  children(answer: Answer): ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Card title={t(`overview.panels.${panel}`)}>
      {hint && <p className="muted">{hint}</p>}
      {figures.error && <ErrorNote error={figures.error} onRetry={() => figures.refetch()} />}
      {figures.isPending && <Loading />}
      {figures.data !== undefined && children(figures.data)}
    </Card>
  );
}
