import { useTranslation } from "react-i18next";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useSession } from "../session/session";
import { Dashboard } from "./dashboard";
import { FirstSteps } from "./first-steps";
import { useSteps } from "./steps";

/** Shows the first steps of a new tenant, and the figures later. */
export function OverviewPage() {
  const { t } = useTranslation();
  const { user, tenant } = useSession();
  const steps = useSteps();
  const isBeginning = steps?.some(({ isDone }) => !isDone);
  const hasSales = steps?.find(({ name }) => name === "order")?.isDone;
  return (
    <Page title={t("overview.hello", { name: user.name })} lead={tenant.name}>
      {!steps && <Loading />}
      {steps && isBeginning && <FirstSteps steps={steps} />}
      {hasSales && <Dashboard />}
    </Page>
  );
}
