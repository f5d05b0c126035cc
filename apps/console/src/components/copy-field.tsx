import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import { Icon } from "./icon";

/** A text with a button that copies it. */
export function CopyField({ label, text }: { label: string; text: string }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  return (
    <div className="copy">
      <input
        className="control"
        aria-label={label}
        readOnly
        value={text}
        onFocus={(event) => event.target.select()}
      />
      <Button
        onClick={async () => {
          await navigator.clipboard.writeText(text);
          setCopied(true);
        }}
      >
        <Icon name={copied ? "check" : "copy"} />
        {copied ? t("common.copied") : t("common.copy")}
      </Button>
    </div>
  );
}
