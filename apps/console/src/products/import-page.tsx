import type { ImportProgress } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { DropZone } from "../components/drop-zone";
import { ErrorNote } from "../components/error-note";
import { SelectField, SwitchField } from "../components/field";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { useMarketplaces } from "../lib/names";
import { useSouk } from "../lib/souk";
import { ImportResult } from "./import-result";

/** The format of a file: CSV, or one JSON object per line. */
const formatOf = (file: File) => (/\.(ndjson|jsonl)$/i.test(file.name) ? "ndjson" : "csv");

export function ImportPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const marketplaces = useMarketplaces();
  const [file, setFile] = useState<File | null>(null);
  const [isTrial, setTrial] = useState(true);
  const [accepts, setAccepts] = useState(false);
  const [marketplace, setMarketplace] = useState("");
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  const several = marketplaces.data && marketplaces.data.length > 1;
  const run = useMutation({
    mutationFn: (chosen: File) =>
      souk.products.import(chosen, {
        format: formatOf(chosen),
        dry_run: isTrial,
        accept_changed_codes: accepts,
        ...(marketplace && { marketplace_id: marketplace }),
        onProgress: setProgress,
      }),
    onMutate: () => setProgress(null),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["products"] }),
  });
  const choose = (chosen: File | undefined) => {
    if (!chosen) return;
    setFile(chosen);
    setAccepts(false);
    run.reset();
  };
  return (
    <Page
      title={t("imports.title")}
      lead={t("imports.lead")}
      back={{ to: "/products", label: t("products.title") }}
    >
      <Card>
        <DropZone
          label={t("imports.choose")}
          accept=".csv,.ndjson,.jsonl"
          onFiles={([first]) => choose(first)}
        >
          <Icon name="imports" />
          <span>{file ? file.name : t("imports.drop")}</span>
          <small className="muted">{t("imports.formats")}</small>
        </DropZone>
        {several && (
          <SelectField
            name="marketplace_id"
            label={t("fields.marketplace")}
            options={[
              { value: "", label: t("imports.asLines") },
              ...marketplaces.data.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={marketplace}
            onChange={setMarketplace}
          />
        )}
        <SwitchField
          name="dry_run"
          label={t("imports.trial")}
          hint={t("imports.trialHint")}
          checked={isTrial}
          onChange={setTrial}
        />
        {(accepts || run.data?.remarks?.some(({ code }) => code === "CODE_CHANGED")) && (
          <SwitchField
            name="accept_changed_codes"
            label={t("imports.changedCodes")}
            hint={t("imports.changedCodesHint")}
            checked={accepts}
            onChange={setAccepts}
          />
        )}
        <div className="card-foot">
          <Button
            variant="primary"
            disabled={!file}
            pending={run.isPending}
            onClick={() => file && run.mutate(file)}
          >
            {isTrial ? t("imports.try") : t("imports.start")}
          </Button>
        </div>
        {run.error && <ErrorNote error={run.error} />}
      </Card>
      {(run.isPending || run.data) && (
        <ImportResult progress={run.data ?? progress} isRunning={run.isPending} isTrial={isTrial} />
      )}
      <Card title={t("imports.example")}>
        <pre className="code" dir="ltr">
          external_id,name,price,quantity,attribute:brand{"\n"}
          tray-1,"Tray, round",39.00,12,Atlas{"\n"}
          tray-2,"Tray, oval",44.50,7,Atlas
        </pre>
      </Card>
    </Page>
  );
}
