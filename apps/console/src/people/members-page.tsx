import { Tabs } from "@base-ui/react/tabs";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { InvitationsTable } from "./invitations-table";
import { InviteDialog } from "./invite-dialog";
import { KeyDialog } from "./key-dialog";
import { KeysTable } from "./keys-table";
import { MembersTable } from "./members-table";

export function MembersPage() {
  const { t } = useTranslation();
  const [isInviting, setInviting] = useState(false);
  const [isAddingKey, setAddingKey] = useState(false);
  return (
    <Page
      title={t("members.title")}
      lead={t("members.lead")}
      actions={
        <>
          <Button onClick={() => setAddingKey(true)}>
            <Icon name="plus" />
            {t("keys.add")}
          </Button>
          <Button variant="primary" data-shortcut="n" onClick={() => setInviting(true)}>
            <Icon name="plus" />
            {t("invitations.invite")}
          </Button>
        </>
      }
    >
      <Tabs.Root defaultValue="members">
        <Tabs.List className="tabs">
          <Tabs.Tab value="members" className="tab">
            {t("members.title")}
          </Tabs.Tab>
          <Tabs.Tab value="invitations" className="tab">
            {t("invitations.title")}
          </Tabs.Tab>
          <Tabs.Tab value="keys" className="tab">
            {t("keys.title")}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="members">
          <MembersTable />
        </Tabs.Panel>
        <Tabs.Panel value="invitations">
          <InvitationsTable />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <KeysTable />
        </Tabs.Panel>
      </Tabs.Root>
      {isInviting && <InviteDialog as="admin" onClose={() => setInviting(false)} />}
      {isAddingKey && <KeyDialog onClose={() => setAddingKey(false)} />}
    </Page>
  );
}
