import type { ListedProduct } from "@souk/client";
import { useEffect, useId, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useShop } from "../../shop/shop";
import { t } from "../../ui/texts";

/** Pause in typing before a search, in ms. */
const PAUSE_MS = 150;
const SUGGESTIONS = 6;

/** A field that suggests products while the person types: arrows choose, Enter opens, Escape closes. */
export function SearchBox() {
  const [, navigate] = useLocation();
  const id = useId();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const products = useSuggestions(isOpen ? text.trim() : "");
  const shown = isOpen && products.length > 0;

  function open({ slug }: ListedProduct) {
    setOpen(false);
    navigate(`/products/${slug}`);
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && shown) {
      event.preventDefault();
      setActive((now) => (now + step + products.length + 1) % (products.length + 1));
    } else if (event.key === "Escape") setOpen(false);
  }
  /** Opens the chosen product. Without one the form leads to the search, also without scripts. */
  function onSubmit(event: Event) {
    const product = shown ? products[active] : undefined;
    if (!product) return setOpen(false);
    event.preventDefault();
    open(product);
  }

  return (
    <search class="search">
      <form action="/search" onSubmit={onSubmit}>
        <input
          type="search"
          name="query"
          role="combobox"
          aria-label={t("search.label")}
          placeholder={t("search.hint")}
          aria-expanded={shown}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={shown && products[active] ? `${id}-${active}` : undefined}
          autocomplete="off"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setOpen(true);
            setActive(-1);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setOpen(false)}
        />
        <div
          id={id}
          class="suggestions"
          role="listbox"
          aria-label={t("search.suggestions")}
          hidden={!shown}
        >
          {shown &&
            products.map((product, i) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active one.
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
              <div
                key={product.id}
                id={`${id}-${i}`}
                role="option"
                aria-selected={i === active}
                // Otherwise the field would lose the focus before the click.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => open(product)}
              >
                <bdi>{product.name}</bdi>
              </div>
            ))}
        </div>
      </form>
    </search>
  );
}

function useSuggestions(search: string): ListedProduct[] {
  const { souk, marketplace } = useShop();
  const [products, setProducts] = useState<ListedProduct[]>([]);
  useEffect(() => {
    if (search === "") return setProducts([]);
    const ending = new AbortController();
    const timer = setTimeout(async () => {
      const query = { marketplace_id: marketplace.id, search, limit: SUGGESTIONS };
      const found = await souk.products.list(query, { signal: ending.signal }).catch(() => null);
      if (!ending.signal.aborted) setProducts(found?.products ?? []);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [souk, marketplace.id, search]);
  return products;
}
