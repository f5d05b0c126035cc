import type { Category } from "@souk/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { Confirm } from "../components/confirm";
import { Empty } from "../components/empty";
import { ErrorNote } from "../components/error-note";
import { Icon } from "../components/icon";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useSouk } from "../lib/souk";
import { EditCategory, NewCategory } from "./category-form";
import { categoriesQuery, inOrder, type PlacedCategory } from "./queries";

export function CategoriesPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const categories = useQuery(categoriesQuery(souk));
  const [editing, setEditing] = useState<Category | "new" | null>(null);
  const [removing, setRemoving] = useState<Category | null>(null);
  const add = (
    <Button variant="primary" data-shortcut="n" onClick={() => setEditing("new")}>
      <Icon name="plus" />
      {t("categories.add")}
    </Button>
  );
  const placed = inOrder(categories.data?.categories ?? []);
  return (
    <Page
      title={t("categories.title")}
      lead={t("categories.lead")}
      actions={placed.length > 0 && add}
    >
      {categories.error && (
        <ErrorNote error={categories.error} onRetry={() => categories.refetch()} />
      )}
      {categories.isPending && <Loading />}
      {categories.data && placed.length === 0 && (
        <Empty icon="categories" title={t("categories.none")} action={add}>
          {t("categories.noneHint")}
        </Empty>
      )}
      {placed.length > 0 && (
        <Card>
          <ul className="tree">
            {placed.map((one) => (
              <CategoryLine
                key={one.category.id}
                placed={one}
                onEdit={() => setEditing(one.category)}
                onRemove={() => setRemoving(one.category)}
              />
            ))}
          </ul>
        </Card>
      )}
      {editing === "new" && <NewCategory onClose={() => setEditing(null)} />}
      {editing && editing !== "new" && (
        <EditCategory category={editing} onClose={() => setEditing(null)} />
      )}
      {removing && <RemoveCategory category={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

function CategoryLine({
  placed: { category, depth },
  onEdit,
  onRemove,
}: {
  placed: PlacedCategory;
  onEdit(): void;
  onRemove(): void;
}) {
  const { t } = useTranslation();
  return (
    <li data-depth={depth}>
      <span>
        {category.name}
        <small className="muted">{category.attributes.map(({ name }) => name).join(", ")}</small>
      </span>
      <span className="line-actions">
        <Button aria-label={`${t("common.edit")}: ${category.name}`} onClick={onEdit}>
          {t("common.edit")}
        </Button>
        <Button
          variant="quiet"
          aria-label={`${t("common.remove")}: ${category.name}`}
          onClick={onRemove}
        >
          <Icon name="trash" />
        </Button>
      </span>
    </li>
  );
}

function RemoveCategory({ category, onClose }: { category: Category; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => souk.categories.remove(category.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["categories"] });
      onClose();
    },
  });
  return (
    <Confirm
      title={t("categories.remove")}
      submit={t("common.remove")}
      action={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t("categories.removeHint", { name: category.name })}
    </Confirm>
  );
}
