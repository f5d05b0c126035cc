// The words that all departments share. Sellers use different words for the same: red or crimson.

export type Colour = keyof typeof colours;
export type Material = keyof typeof materials;
export type Feature = keyof typeof features;

/** The names of each colour. */
export const colours = {
  red: ["red", "red", "crimson"],
  blue: ["blue", "blue", "navy"],
  green: ["green", "green", "olive"],
  grey: ["grey", "gray", "charcoal"],
  beige: ["beige", "cream", "sand"],
  brown: ["brown", "chestnut"],
  black: ["black", "black", "jet"],
  white: ["white", "white", "ivory"],
  pink: ["pink", "rose"],
  yellow: ["yellow", "mustard"],
  orange: ["orange", "tangerine"],
  silver: ["silver", "chrome"],
  gold: ["gold", "brass-coloured"],
  natural: ["natural", "untreated"],
} as const;

export const cloth: readonly Colour[] = [
  "red",
  "blue",
  "green",
  "grey",
  "beige",
  "yellow",
  "black",
  "white",
  "pink",
];
export const wooden: readonly Colour[] = ["natural", "brown", "white", "black"];
export const metallic: readonly Colour[] = ["silver", "black", "gold", "white"];
export const bright: readonly Colour[] = ["red", "blue", "green", "yellow", "pink", "orange"];
export const plain: readonly Colour[] = ["black", "white", "grey", "blue", "red"];
export const earthy: readonly Colour[] = ["green", "brown", "beige", "grey", "black"];

/** The names of each material, and a sentence that sellers write about it. */
export const materials = {
  wool: {
    called: ["wool", "pure new wool"],
    says: "Wool keeps its shape and warms even when damp.",
  },
  cotton: { called: ["cotton"], says: "Soft cotton, kind to the skin." },
  linen: { called: ["linen", "flax linen"], says: "Linen grows softer with every wash." },
  velvet: { called: ["velvet"], says: "The velvet has a dense, soft pile." },
  leather: {
    called: ["leather", "full-grain leather"],
    says: "Leather that ages well and wipes clean.",
  },
  polyester: {
    called: ["polyester", "recycled polyester"],
    says: "Hard-wearing polyester that dries fast.",
  },
  nylon: { called: ["nylon", "ripstop nylon"], says: "Tough, light nylon." },
  silk: { called: ["silk", "mulberry silk"], says: "Silk with a quiet shine." },
  jute: { called: ["jute"], says: "Woven of jute, rough and honest." },
  down: { called: ["down", "goose down"], says: "Filled with down, light and very warm." },
  foam: { called: ["foam", "memory foam"], says: "The foam takes the shape of the body." },
  oak: { called: ["oak", "solid oak"], says: "Solid oak with a visible grain, oiled." },
  pine: { called: ["pine"], says: "Pine from northern forests, knots and all." },
  beech: { called: ["beech", "beechwood"], says: "Smooth beech, turned and sanded." },
  walnut: { called: ["walnut"], says: "Dark walnut with a fine grain." },
  teak: { called: ["teak"], says: "Teak needs no care and turns silver in the weather." },
  bamboo: { called: ["bamboo"], says: "Bamboo grows back fast and is harder than it looks." },
  rattan: { called: ["rattan", "wicker"], says: "Woven by hand of rattan." },
  steel: { called: ["steel", "stainless steel"], says: "Steel that does not rust." },
  "cast iron": { called: ["cast iron"], says: "Cast iron holds the heat for a long time." },
  aluminium: {
    called: ["aluminium", "aluminum"],
    says: "Aluminium: light, and it does not corrode.",
  },
  brass: { called: ["brass"], says: "Brass that gains a patina with the years." },
  copper: { called: ["copper"], says: "Copper, hammered and lacquered." },
  glass: { called: ["glass", "borosilicate glass"], says: "Clear glass, blown in one piece." },
  ceramic: { called: ["ceramic", "stoneware"], says: "Glazed by hand, so that no two are alike." },
  porcelain: { called: ["porcelain"], says: "Thin, hard porcelain." },
  plastic: { called: ["plastic", "recycled plastic"], says: "Plastic without softeners." },
  rubber: { called: ["rubber", "natural rubber"], says: "Rubber that grips when wet." },
  silicone: { called: ["silicone"], says: "Food-safe silicone without taste or smell." },
  wax: { called: ["beeswax", "soy wax"], says: "Burns slowly and without soot." },
  paper: { called: ["paper", "cardboard"], says: "Made of recycled paper." },
} as const;

/** The words for each feature in a name, and the sentences in a description. */
export const features = {
  waterproof: {
    called: ["waterproof", "rainproof"],
    says: ["Keeps dry in heavy rain.", "Sealed seams: no drop gets in."],
  },
  folding: {
    called: ["folding", "foldable"],
    says: ["Folds flat in seconds.", "Collapses, to be put away in a cupboard."],
  },
  rechargeable: {
    called: ["rechargeable", "USB-C"],
    says: ["Charges by USB in two hours.", "The battery lasts for days and is charged by cable."],
  },
  solar: {
    called: ["solar", "solar-powered"],
    says: ["Runs on sunlight alone.", "A small panel gathers the sun by day."],
  },
  dimmable: {
    called: ["dimmable"],
    says: ["Turn the brightness up and down.", "From bright to a faint glow by a touch."],
  },
  cordless: {
    called: ["cordless", "battery-powered"],
    says: ["No cable in the way.", "Runs off a battery, far from any socket."],
  },
  "dishwasher-safe": {
    called: ["dishwasher-safe"],
    says: ["Can go in the dishwasher.", "Cleans up in the dishwasher."],
  },
  organic: {
    called: ["organic"],
    says: ["From certified organic farming.", "Grown without pesticides."],
  },
  adjustable: {
    called: ["adjustable"],
    says: ["Set the height as you like.", "Adjusts in five steps."],
  },
  "non-stick": {
    called: ["non-stick"],
    says: ["Nothing burns on or sticks.", "Coated, so that an egg slides off."],
  },
  insulated: {
    called: ["insulated", "thermal"],
    says: ["Keeps hot for twelve hours, cold for a day.", "Double walls hold the temperature."],
  },
  lightweight: {
    called: ["lightweight", "ultralight"],
    says: ["Hardly weighs a thing.", "So light that you forget you have it with you."],
  },
  washable: {
    called: ["washable", "machine-washable"],
    says: ["Goes in the washing machine at 40 degrees.", "Wash it as often as you like."],
  },
  handmade: {
    called: ["handmade", "hand-crafted"],
    says: ["Made by hand in a small workshop.", "A craftsman made each of them."],
  },
  stackable: {
    called: ["stackable"],
    says: ["Can be stacked.", "Several go on top of one another."],
  },
  quiet: {
    called: ["quiet", "silent"],
    says: ["So quiet that nobody wakes.", "Hardly makes a noise."],
  },
  reflective: {
    called: ["reflective"],
    says: ["Reflecting strips make sure that drivers see you.", "Shines back at headlights."],
  },
  electric: { called: ["electric"], says: ["The motor does the hard work.", "Plug it in and go."] },
} as const;

/** The brands, in their own spelling. */
export const brands = [
  "Alder & Finch",
  "Atlas",
  "Birkholm",
  "Calder",
  "Dunmore",
  "Elara",
  "Fjellheim",
  "Greyfield",
  "Hallam",
  "Ivo",
  "Juno",
  "Kestrel",
  "Lindqvist",
  "Marlow",
  "Nordvik",
  "Oriel",
  "Penrose",
  "Quill",
  "Ravn",
  "Solberg",
  "Tamsin",
  "Umber",
  "Vester",
  "Westley",
] as const;

export const series = [
  "Ada",
  "Bergen",
  "Cove",
  "Dara",
  "Esk",
  "Fennel",
  "Gale",
  "Harbour",
  "Isla",
  "Jura",
  "Kora",
  "Lune",
  "Mira",
  "Nest",
  "Otto",
  "Pax",
  "Rill",
  "Sorrel",
  "Thea",
  "Una",
  "Vale",
  "Wren",
  "Yarrow",
  "Zephyr",
] as const;
