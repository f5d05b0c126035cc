import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { AccountFields, useAccount } from "./account-fields";

/** Creates an account with an invitation. The code is typed here, because others could read it in a URL. */
export function Join() {
  const { t } = useTranslation();
  const souk = useSouk();
  const account = useAccount();
  const [invitation, setInvitation] = useState("");
  const join = useMutation({
    mutationFn: () => souk.auth.register({ ...account.value, invitation: invitation.trim() }),
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
