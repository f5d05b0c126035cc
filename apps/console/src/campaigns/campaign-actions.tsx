import type { Campaign } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Icon } from "../components/icon";
import { messageOf } from "../lib/errors";
import { toastDone, toastError } from "../lib/toasts";
import { useMay } from "../session/session";
import { EditCampaign } from "./edit-campaign";
import { EndCampaign } from "./end-campaign";
import { ReviewCampaign } from "./review-campaign";
import { MOVES } from "./statuses";
import { useCampaignAction } from "./use-campaign-action";

/** The actions on a campaign that are possible now for the person. */
export function CampaignActions({ campaign, name }: { campaign: Campaign; name: string }) {
  const { t } = useTranslation();
  const may = useMay();
  const [dialog, setDialog] = useState<"approve" | "reject" | "edit" | "end" | null>(null);
  const close = () => setDialog(null);
  const run = useRun(campaign, name);
  const moves = may("campaigns.write") ? MOVES[campaign.status] : [];
  const isReviewed = campaign.status === "pending_review" && may("campaigns.review");
  return (
    <>
      {moves.includes("end") && (
        <Button onClick={() => setDialog("end")}>{t("campaigns.end")}</Button>
      )}
      {moves.includes("edit") && campaign.pricing_model !== "fixed" && (
        <Button onClick={() => setDialog("edit")}>{t("campaigns.editTerms")}</Button>
      )}
      {moves.includes("pause") && (
        <Button pending={run.isPending} onClick={() => run.mutate({ status: "paused" })}>
          {t("campaigns.pause")}
        </Button>
      )}
      {moves.includes("resume") && (
        <Button
          variant="primary"
          pending={run.isPending}
          onClick={() => run.mutate({ status: "active" })}
        >
          {t("campaigns.resume")}
        </Button>
      )}
      {isReviewed && (
        <>
          <Button onClick={() => setDialog("reject")}>{t("campaigns.reject")}</Button>
          <Button variant="primary" onClick={() => setDialog("approve")}>
            <Icon name="check" />
            {t("campaigns.approve")}
          </Button>
        </>
      )}
      {(dialog === "approve" || dialog === "reject") && (
        <ReviewCampaign campaign={campaign} name={name} answer={dialog} onClose={close} />
      )}
      {dialog === "edit" && <EditCampaign campaign={campaign} onClose={close} />}
      {dialog === "end" && <EndCampaign campaign={campaign} name={name} onClose={close} />}
    </>
  );
}

interface Run {
  status: "paused" | "active";
  /** Whether it undoes the opposite. */
  isUndo?: boolean;
}

/** Pauses or resumes a campaign, and offers to undo it. */
function useRun({ id }: Campaign, name: string) {
  const { t } = useTranslation();
  const run = useCampaignAction<Run>((souk, { status }) => souk.campaigns.update(id, { status }), {
    onDone: ({ status, isUndo }) =>
      toastDone(
        t(status === "paused" ? "campaigns.isPaused" : "campaigns.isResumed", { name }),
        isUndo
          ? undefined
          : {
              label: t("common.undo"),
              run: () =>
                run.mutate({ status: status === "paused" ? "active" : "paused", isUndo: true }),
            },
      ),
    onError: (error) => toastError(t("common.failed"), messageOf(error)),
  });
  return run;
}
