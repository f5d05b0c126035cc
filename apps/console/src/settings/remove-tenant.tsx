import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

/** The removal of the tenant, after its name is typed. */
export function RemoveTenant({ name }: { name: string }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title={t("settings.remove")}>
      <p className="muted">{t("settings.removeLead")}</p>
      <div className="line-actions">
        <Button variant="danger" onClick={() => setAsking(true)}>
          {t("settings.remove")}
        </Button>
      </div>
      {isAsking && <RemoveDialog name={name} onClose={() => setAsking(false)} />}
    </Card>
  );
}

function RemoveDialog({ name, onClose }: { name: string; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const [typed, setTyped] = useState("");
  const remove = useMutation({
    mutationFn: () => souk.tenant.remove({ name: typed }),
    onSuccess: async () => {
      toastDone(t("settings.removed", { name }));
      await souk.auth.logout();
    },
  });
  return (
    <Dialog
      title={t("settings.remove")}
      lead={t("settings.removeHint", { name })}
      onClose={onClose}
    >
      <Form
        action={remove}
        onSubmit={() => remove.mutate()}
        submit={t("settings.removeForever")}
        danger
        onCancel={onClose}
      >
        <TextField
          name="name"
          label={t("fields.tenantName")}
          required
          autoComplete="off"
          value={typed}
          onChange={setTyped}
        />
      </Form>
    </Dialog>
  );
}
