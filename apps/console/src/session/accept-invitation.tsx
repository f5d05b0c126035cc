import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { useSwitchTenant } from "./switch-tenant";

/** Joins another tenant with the signed-in account, and switches to it. `code`: that of the link, if one led here. */
export function AcceptInvitation({ code = "", onClose }: { code?: string; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const change = useSwitchTenant();
  const [invitation, setInvitation] = useState(code);
  const accept = useMutation({
    mutationFn: () => souk.invitations.accept({ invitation: invitation.trim() }),
    onSuccess: ({ id }) => change.mutate(id),
  });
  return (
    <Dialog title={t("session.acceptInvitation")} onClose={onClose}>
      <Form action={accept} onSubmit={() => accept.mutate()} submit={t("entrance.join.submit")}>
        <TextField
          name="invitation"
          label={t("fields.invitation")}
          required
          autoComplete="off"
          value={invitation}
          onChange={setInvitation}
        />
      </Form>
    </Dialog>
  );
}
