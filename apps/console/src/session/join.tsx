import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { AccountFields, useAccount } from "./account-fields";

/** Creates an account with an invitation, whose code is in the link or is typed. `onJoin`: the code is being used. */
export function Join({ invitation: code, onJoin }: { invitation: string; onJoin(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const account = useAccount();
  const [invitation, setInvitation] = useState(code);
  const join = useMutation({
    mutationFn: () => {
      onJoin();
      return souk.auth.register({ ...account.value, invitation: invitation.trim() });
    },
  });
  return (
    <Form action={join} onSubmit={() => join.mutate()} submit={t("entrance.join.submit")} wide>
      <TextField
        name="invitation"
        label={t("fields.invitation")}
        hint={t("entrance.join.hint")}
        autoComplete="off"
        required
        value={invitation}
        onChange={setInvitation}
      />
      <AccountFields account={account} />
    </Form>
  );
}
