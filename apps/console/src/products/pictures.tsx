import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { DropZone } from "../components/drop-zone";
import { ErrorNote } from "../components/error-note";
import { TextField } from "../components/field";
import { Icon } from "../components/icon";
import { Progress } from "../components/progress";
import { PICTURE_TYPES, type Upload, useUploads } from "../lib/uploads";
import { type KeyedPicture, keyed } from "./draft";

/** The pictures of a product. The first one is shown in lists. */
export function Pictures({
  pictures,
  onChange,
}: {
  pictures: readonly KeyedPicture[];
  onChange(pictures: KeyedPicture[]): void;
}) {
  const { t } = useTranslation();
  const { uploads, upload } = useUploads((assets) =>
    onChange([
      ...pictures,
      ...assets.map(({ id, url, alt_text }) =>
        keyed({ asset_id: id, url: url ?? "", alt: alt_text }),
      ),
    ]),
  );
  const change = (place: number, fields: Partial<KeyedPicture>) =>
    onChange(pictures.map((one, i) => (i === place ? { ...one, ...fields } : one)));
  const without = (place: number) => pictures.filter((_, i) => i !== place);
  return (
    <>
      <ul className="pictures">
        {pictures.map((picture, place) => (
          <li key={picture.key}>
            <img src={picture.url} alt={picture.alt} loading="lazy" />
            <TextField
              name={`images[${place}].alt`}
              label={t("products.alt")}
              placeholder={t("products.altHint")}
              value={picture.alt}
              onChange={(alt) => change(place, { alt })}
            />
            <div className="line-actions">
              {place > 0 && (
                <Button variant="quiet" onClick={() => onChange([picture, ...without(place)])}>
                  {t("products.makeFirst")}
                </Button>
              )}
              <Button variant="quiet" onClick={() => onChange(without(place))}>
                {t("common.remove")}
              </Button>
            </div>
          </li>
        ))}
        {uploads.map((one) => (
          <UploadLine key={one.key} upload={one} />
        ))}
      </ul>
      <DropZone label={t("products.addPictures")} accept={PICTURE_TYPES} multiple onFiles={upload}>
        <Icon name="picture" />
        <span>{t("products.dropPictures")}</span>
        <small className="muted">{t("products.pictureTypes")}</small>
      </DropZone>
    </>
  );
}

function UploadLine({ upload: { filename, sent, total, error } }: { upload: Upload }) {
  return (
    <li>
      <span>{filename}</span>
      {error ? <ErrorNote error={error} /> : <Progress label={filename} value={sent} max={total} />}
    </li>
  );
}
