import { type Product, SEARCHABLE } from "./catalogue.js";
import type { Kind, Query } from "./rules.js";

/** A query, the products that must come first, and products that match less or not at all. */
interface Spelling {
  kind: Kind;
  text: string;
  wanted: readonly string[];
  others?: readonly string[];
}

const vitamins = ["Vitamin A capsules", "Vitamin C capsules", "Vitamin D drops"];
const shirts = ["Cotton T-shirt", "Linen shirt", "Night shirt for women"];
const jackets = ["Down jacket", "Rain jacket", "Men's jacket with a hood"];
const openers = ["Can opener", "Bottle opener", "Letter opener in steel"];
const routers = ["Wi-Fi router", "Router for 4 wires"];
const sticks = ["USB stick 16 GB", "USB stick 32 GB", "USB stick 160 GB"];
const bottles = ["Flask 500 ml", "Flask 750 ml", "Carafe 1.5 l"];
const boards = ["ESP32-C6 board", "ESP32-S3 board", "C6 connector"];
const books = ["Learn C++", "Learn C#", "Learn Cobol", "Learn to cook"];
const thai = ["เสื้อยืดผ้าฝ้าย", "กางเกงยีนส์"];
const japanese = ["折りたたみ自転車", "電動歯ブラシ"];
const german = ["Donaudampfschifffahrtsgesellschaftskapitänsmützenhalter", "Kapitän aus Holz"];
const arabic = ["قَهْوَة عربيّة", "شاي أخضر", "مكتبة خشبية"];

/** Short words, words in other scripts, and words with invisible or equivalent characters. */
export const spellings: readonly Spelling[] = [
  { kind: "stop word", text: "vitamin a", wanted: ["Vitamin A capsules"], others: vitamins },
  { kind: "stop word", text: "t-shirt", wanted: ["Cotton T-shirt"], others: shirts },
  { kind: "stop word", text: "down jacket", wanted: ["Down jacket"], others: jackets },
  { kind: "stop word", text: "can opener", wanted: ["Can opener"], others: openers },
  { kind: "no blanks", text: "ผ้าฝ้าย", wanted: ["เสื้อยืดผ้าฝ้าย"], others: thai },
  { kind: "no blanks", text: "自転車", wanted: ["折りたたみ自転車"], others: japanese },
  { kind: "no blanks", text: "歯ブラシ", wanted: ["電動歯ブラシ"], others: japanese },
  { kind: "no blanks", text: "kapitänsmütze", wanted: [german[0] as string], others: german },
  { kind: "invisible", text: "rou\u00adter", wanted: routers },
  { kind: "invisible", text: "op\u200dener", wanted: openers },
  { kind: "units", text: "wifi", wanted: ["Wi-Fi router"], others: routers },
  { kind: "units", text: "16gb", wanted: ["USB stick 16 GB"], others: sticks },
  { kind: "units", text: "500ml", wanted: ["Flask 500 ml"], others: bottles },
  { kind: "units", text: "carafe 1,5l", wanted: ["Carafe 1.5 l"], others: bottles },
  { kind: "units", text: "esp32c6", wanted: ["ESP32-C6 board"], others: boards },
  { kind: "arabic", text: "قهوه عربية", wanted: ["قَهْوَة عربيّة"], others: arabic },
  { kind: "arabic", text: "شاى اخضر", wanted: ["شاي أخضر"], others: arabic },
  { kind: "arabic", text: "مـكـتـبـه", wanted: ["مكتبة خشبية"], others: arabic },
  { kind: "signs", text: "c++", wanted: ["Learn C++"], others: books },
  { kind: "signs", text: "c#", wanted: ["Learn C#"], others: books },
];

/** The products of all spellings; the family of each is its name. */
export const spelledProducts: readonly Product[] = [
  ...new Set(spellings.flatMap(({ wanted, others = [] }) => [...wanted, ...others])),
].map((name, index) => ({
  external_id: `spelled-${index + 1}`,
  facts: {
    department: "Spellings",
    family: name,
    colour: "white",
    material: null,
    size: "",
    features: [],
    use: null,
    place: "",
    audience: "adults",
  },
  name,
  description: "",
  price: 10,
  category: ["Spellings", "All"],
  attributes: SEARCHABLE.map((attribute) => ({ name: attribute, value: "plain" })),
}));

export const spelledQueries: readonly Query[] = spellings.map(({ kind, text, wanted }) => ({
  kind,
  text,
  rule: [[3, { family: wanted }]],
}));
