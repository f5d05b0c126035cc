const PATHS = {
  overview: "M4 13h6V4H4v9Zm0 7h6v-4H4v4Zm10 0h6v-9h-6v9Zm0-16v4h6V4h-6Z",
  orders: "M6 8h12l1 12H5L6 8Zm3 0V6.5a3 3 0 0 1 6 0V8",
  products: "m4 8 8-4 8 4v8l-8 4-8-4V8Zm0 0 8 4m0 0 8-4m-8 4v8",
  stock: "M4 20V9l8-5 8 5v11M8 20v-7h8v7M8 16.5h8",
  categories: "M4 5h6v6H4V5Zm10 0h6v6h-6V5ZM4 15h6v4H4v-4Zm10 0h6v4h-6v-4Z",
  campaigns: "M4 10v4h3l8 4V6l-8 4H4Zm3 4 1 5h3l-1-3.500M18.500 9.500a3.500 3.500 0 0 1 0 5",
  suppliers:
    "M5 10v10h14V10M4 10l2-6h12l2 6M9 20v-5h6v5M4 10a2.7 2.7 0 0 0 5.3 0 2.7 2.7 0 0 0 5.4 0 2.7 2.7 0 0 0 5.3 0",
  customers: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 8c1-4 4-5 8-5s7 1 8 5",
  members:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9c.6-4 3-5.5 6-5.5s5.400 1.500 6 5.500M16 4.500a3.500 3.500 0 0 1 0 6M18 15c1.800.8 2.700 2.5 3 5",
  earnings:
    "M12 3v18M16.500 7c-.8-1.300-2.300-2-4.500-2-2.5 0-4.500 1.200-4.500 3.400 0 4.900 9.500 2.300 9.500 7.200 0 2.200-2.200 3.400-5 3.400-2.600 0-4.400-.9-5-2.5",
  payouts: "M3 7h16v12H3V7Zm0 0 12-3v3M19 11h2v4h-5a2 2 0 1 1 0-4h3",
  percent:
    "M19 5 5 19M7.5 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm9 9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  tag: "M4 4h8l8 8-8 8-8-8V4Zm4.5 4.5h.01",
  exports: "M12 4v11m0 0-4-4m4 4 4-4M5 20h14",
  imports: "M12 15V4m0 0L8 8m4-4 4 4M5 20h14",
  marketplaces:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3 12h18M12 3c2.5 2.700 3.500 5.700 3.500 9s-1 6.300-3.500 9c-2.5-2.700-3.500-5.700-3.500-9s1-6.300 3.500-9Z",
  settings:
    "M4 7h10m4 0h2M4 17h2m4 0h10M16 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  plus: "M12 5v14M5 12h14",
  close: "m6 6 12 12M18 6 6 18",
  check: "m5 12.5 4.500 4.500L19 7.5",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 4.500 4.500",
  back: "M15 5l-7 7 7 7",
  menu: "M4 7h16M4 12h16M4 17h16",
  chevron: "m8 10 4 4 4-4",
  truck:
    "M3 6h11v10H3V6Zm11 4h4l3 3v3h-7v-6ZM7 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm10 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  picture: "M4 5h16v14H4V5Zm0 11 5-5 4 4 2-2 5 5M15.500 9.500h.010",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13",
  bell: "M6 16V11a6 6 0 1 1 12 0v5l1.500 2h-15L6 16Zm4 4h4",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v2m0 14v2M3 12h2m14 0h2M5.600 5.600 7 7m10 10 1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 8c1-4 4-5 8-5s7 1 8 5",
  keyboard: "M3 7h18v10H3V7Zm4 3h.010M11 10h.010M15 10h.010M8 14h8",
  copy: "M9 9h10v11H9V9Zm-4 6V4h10",
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. `mirrored` icons are mirrored in right-to-left languages. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      className={`icon${name === "back" ? " icon-mirrored" : ""}`}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
