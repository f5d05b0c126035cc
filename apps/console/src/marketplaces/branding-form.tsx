import type { Marketplace } from "@souk/client";
import { useTranslation } from "react-i18next";
import { DropZone } from "../components/drop-zone";
import { ErrorNote } from "../components/error-note";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { Progress } from "../components/progress";
import { listIn } from "../lib/list-in";
import { PICTURE_TYPES, useUploads } from "../lib/uploads";
import { type MarketplaceEditing, useMarketplaceForm } from "./use-change";

/** The default colours of the built-in pages. */
const COLORS = { primary: "#0b6b50", background: "#ffffff", text: "#1c1917" } as const;
const COLOR_NAMES = ["primary", "background", "text"] as const;

interface Branding extends Record<(typeof COLOR_NAMES)[number], string> {
  logo_url: string;
  hosts: string;
}

const valuesOf = ({ settings: { branding } }: Marketplace): Branding => ({
  ...COLORS,
  ...branding?.colors,
  logo_url: branding?.logo_url ?? "",
  hosts: branding?.hosts?.join(", ") ?? "",
});

/** The API replaces all colours together, so the others are sent, too. */
const changesOf = (
  { logo_url, hosts, ...colors }: Partial<Branding>,
  { settings }: Marketplace,
) => ({
  settings: {
    branding: {
      ...(logo_url !== undefined && { logo_url: logo_url || null }),
      ...(hosts !== undefined && { hosts: listIn(hosts) }),
      ...(Object.keys(colors).length > 0 && {
        colors: { ...settings.branding?.colors, ...colors },
      }),
    },
  },
});

export function BrandingForm({ editing }: { editing: MarketplaceEditing }) {
  const { t } = useTranslation();
  const { values, set, form } = useMarketplaceForm(editing, "branding", valuesOf, changesOf);
  const { uploads, upload } = useUploads(([asset]) => asset?.url && set({ logo_url: asset.url }));
  return (
    <Form {...form}>
      <div className="colors">
        {COLOR_NAMES.map((name) => (
          <TextField
            key={name}
            name={`settings.branding.colors.${name}`}
            label={t(`marketplaces.colors.${name}`)}
            type="color"
            value={values[name]}
            onChange={(color) => set({ [name]: color })}
          />
        ))}
      </div>
      {values.logo_url && (
        <img className="logo-preview" src={values.logo_url} alt={t("marketplaces.logo")} />
      )}
      <TextField
        name="settings.branding.logo_url"
        label={t("marketplaces.logo")}
        type="url"
        placeholder="https://"
        value={values.logo_url}
        onChange={(logo_url) => set({ logo_url })}
      />
      <DropZone label={t("marketplaces.uploadLogo")} accept={PICTURE_TYPES} onFiles={upload}>
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
      <TextField
        name="settings.branding.hosts"
        label={t("marketplaces.hosts")}
        hint={t("marketplaces.hostsHint")}
        placeholder="images.example.com"
        value={values.hosts}
        onChange={(hosts) => set({ hosts })}
      />
    </Form>
  );
}
