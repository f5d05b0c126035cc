import { useTranslation } from "react-i18next";
import { ButtonLink } from "../components/button";
import { Empty } from "../components/empty";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Empty
      icon="search"
      title={t("common.notFound")}
      action={<ButtonLink to="/">{t("overview.title")}</ButtonLink>}
    >
      {t("common.notFoundHint")}
    </Empty>
  );
}
