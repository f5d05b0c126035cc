import type { Campaign } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { toastDone } from "../lib/toasts";
import { useCampaignAction } from "./use-campaign-action";

interface ReviewCampaignProps {
  campaign: Campaign;
  name: string;
  answer: "approve" | "reject";
  onClose(): void;
}

/** Approves or rejects a campaign that waits for review, with a note for the supplier. */
export function ReviewCampaign({ campaign, name, answer, onClose }: ReviewCampaignProps) {
  const { t } = useTranslation();
  const [note, setNote] = useState("");
  const review = useCampaignAction(
    (souk) => souk.campaigns[answer](campaign.id, note ? { note } : {}),
    {
      onDone: () => {
        toastDone(t(`campaigns.reviewed.${answer}`, { name }));
        onClose();
      },
    },
  );
  return (
    <Dialog
      title={t(`campaigns.reviewTitles.${answer}`)}
      lead={t(`campaigns.reviewHints.${answer}`)}
      onClose={onClose}
    >
      <Form
        action={review}
        onSubmit={() => review.mutate()}
        submit={t(`campaigns.${answer}`)}
        danger={answer === "reject"}
        onCancel={onClose}
      >
        <TextField
          name="note"
          label={t("fields.note")}
          hint={t("campaigns.reviewNoteHint")}
          multiline
          value={note}
          onChange={setNote}
        />
      </Form>
    </Dialog>
  );
}
