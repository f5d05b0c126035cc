import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { Icon } from "../components/icon";
import { Progress } from "../components/progress";
import type { Step } from "./steps";

/** The steps to the first sale. The next step is emphasised. */
export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation();
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Card title={t("steps.title")}>
      <div className="steps-progress">
        <Progress label={t("steps.title")} value={done} max={steps.length} />
        <span className="muted">{t("steps.progress", { done, all: steps.length })}</span>
      </div>
      <ol className="steps">
        {steps.map((step) => (
          <li
            key={step.name}
            data-done={step.isDone || undefined}
            data-next={step === next || undefined}
          >
            <span className="step-mark">{step.isDone && <Icon name="check" />}</span>
            <div>
              <Link to={step.to}>{t(`steps.${step.name}`)}</Link>
              <p className="muted">{t(`steps.${step.name}Hint`)}</p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
