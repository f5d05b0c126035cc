import type { Marketplace } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DropZone } from "../components/drop-zone";
import { ErrorNote } from "../components/error-note";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { Progress } from "../components/progress";
import { useUploads } from "../lib/uploads";
import { useChangeMarketplace } from "./use-change";

/** The default colours of the built-in pages. */
const COLORS = { primary: "#0b6b50", background: "#ffffff", text: "#1c1917" } as const;
const COLOR_NAMES = ["primary", "background", "text"] as const;

export function BrandingForm({ marketplace }: { marketplace: Marketplace }) {
  const { t } = useTranslation();
  const change = useChangeMarketplace(marketplace);
  const before = marketplace.settings.branding ?? {};
  const [logo, setLogo] = useState(before.logo_url ?? "");
  const [colors, setColors] = useState<Record<string, string>>(before.colors ?? {});
  const { uploads, upload } = useUploads(([asset]) => asset?.url && setLogo(asset.url));
  const save = () =>
    change.mutate({
      settings: {
        // Undefined values are not sent, so their defaults apply.
        branding: {
          ...before,
          logo_url: logo || undefined,
          colors: Object.keys(colors).length > 0 ? colors : undefined,
        },
      },
    });
  return (
    <Form action={change} onSubmit={save}>
      <div className="colors">
        {COLOR_NAMES.map((name) => (
          <TextField
            key={name}
            name={`settings.branding.colors.${name}`}
            label={t(`marketplaces.colors.${name}`)}
            type="color"
            value={colors[name] ?? COLORS[name]}
            onChange={(color) => setColors({ ...colors, [name]: color })}
          />
        ))}
      </div>
      {logo && <img className="logo-preview" src={logo} alt={t("marketplaces.logo")} />}
      <TextField
        name="settings.branding.logo_url"
        label={t("marketplaces.logo")}
        type="url"
        placeholder="https://"
        value={logo}
        onChange={setLogo}
      />
      <DropZone label={t("marketplaces.uploadLogo")} accept="image/*" onFiles={upload}>
        <Icon name="picture" />
        <span>{t("marketplaces.uploadLogo")}</span>
      </DropZone>
      {uploads.map(({ key, filename, sent, total, error }) =>
        error ? (
          <ErrorNote key={key} error={error} />
        ) : (
          <Progress key={key} label={filename} value={sent} max={total} />
        ),
      )}
    </Form>
  );
}
