import { described, type Query, wanted } from "./rules.js";

const bikes = ["city-bike", "mountain-bike", "e-bike", "kids-bike"];
const bikeAccessories = [
  "bike-helmet",
  "bike-lock",
  "bike-pump",
  "bike-light",
  "pannier",
  "saddle",
];
const lamps = ["floor-lamp", "table-lamp", "ceiling-light", "wall-light"];

/**
 * What is asked, of which kind it is, and what is wanted: the first condition over the facts of a product that holds
 * grades it. `wanted` and `described` write the usual rules.
 */
export const queries: readonly Query[] = [
  wanted("word", "candle", "candle"),
  wanted("word", "hammock", "hammock"),
  wanted("word", "tablecloth", "tablecloth", "dining-table"),
  wanted("word", "kite", "kite"),
  wanted("word", "doormat", "doormat", ["rug", "rug-underlay"]),
  wanted("word", "ladder", "ladder"),
  wanted("word", "toolbox", "toolbox", "toy-tools"),
  wanted("word", "mattress", "mattress", ["sleeping-mat", "bed"]),
  wanted("word", "saddle", "saddle", "pannier"),
  wanted("word", "wardrobe", "wardrobe", "dresser"),
  wanted("word", "kettle", "kettle", "teapot"),
  wanted("word", "tent", "tent", "tent-pegs"),

  wanted("several words", "sofa cover", "sofa-cover", "sofa"),
  wanted("several words", "lamp oil", "lamp-oil", "garden-light"),
  wanted("several words", "coffee table", "coffee-table", "dining-table"),
  wanted("several words", "coffee grinder", "coffee-grinder", "coffee-maker"),
  wanted("several words", "table lamp", "table-lamp", lamps),
  wanted("several words", "bike lock", "bike-lock"),
  wanted("several words", "bed linen", "bed-linen", "bed"),
  wanted("several words", "tent pegs", "tent-pegs", "tent"),
  wanted("several words", "garden bench", "garden-bench", "garden-chair"),
  wanted("several words", "toy kitchen", "toy-kitchen"),
  wanted("several words", "doll's pram", "doll-pram", ["doll", "pram"]),
  wanted("several words", "knife sharpener", "knife-sharpener", "chef-knife"),

  wanted("synonym", "couch", "sofa", ["sofa-cover", "armchair"]),
  wanted("synonym", "flashlight", "torch", "head-torch"),
  wanted("synonym", "skillet", "frying-pan", ["saucepan", "pan-lid"]),
  wanted("synonym", "carpet", "rug", ["rug-underlay", "doormat"]),
  wanted("synonym", "pants", "trousers", "pyjamas"),
  wanted("synonym", "crib", "cot"),
  wanted("synonym", "sweater", "jumper"),
  wanted("synonym", "stroller", "pram", "doll-pram"),
  wanted("synonym", "diapers", "nappies"),
  wanted("synonym", "wrench", "spanner"),
  wanted("synonym", "refrigerator", "fridge", "cool-box"),
  wanted("synonym", "drapes", "curtain"),
  wanted("synonym", "rucksack", "backpack"),
  wanted("synonym", "sneakers", "trainers", "hiking-boots"),
  wanted("synonym", "trash can", "bin"),

  wanted("typo", "hammok", "hammock"),
  wanted("typo", "matress", "mattress", "sleeping-mat"),
  wanted("typo", "wheelbarow", "wheelbarrow"),
  wanted("typo", "screwdirver", "screwdriver"),
  wanted("typo", "umbrela", "umbrella", "parasol"),
  wanted("typo", "blankett", "blanket", "baby-blanket"),
  wanted("typo", "kettel", "kettle"),
  wanted("typo", "sandpapper", "sandpaper"),
  wanted("typo", "tabel lamp", "table-lamp", lamps),
  wanted("typo", "cofee grindr", "coffee-grinder", "coffee-maker"),
  wanted("typo", "bicylce pump", "bike-pump"),
  wanted("typo", "tedy bear", "teddy", "doll"),

  {
    text: "lam",
    kind: "prefix",
    rule: [
      [3, { family: lamps }],
      [2, { family: ["lampshade", "lamp-oil", "bulb"] }],
      [1, { use: "light" }],
    ],
  },
  {
    text: "bicy",
    kind: "prefix",
    rule: [
      [3, { family: bikes }],
      [2, { family: bikeAccessories }],
    ],
  },
  { text: "hamm", kind: "prefix", rule: [[3, { family: ["hammer", "hammock"] }]] },
  wanted("prefix", "wardr", "wardrobe", "dresser"),
  wanted("prefix", "umbr", "umbrella", "parasol"),
  wanted("prefix", "screwd", "screwdriver"),
  wanted("prefix", "blank", "blanket", "baby-blanket"),
  wanted("prefix", "garden ch", "garden-chair", ["garden-bench", "chair-cushion"]),
  wanted("prefix", "frying p", "frying-pan"),
  wanted("prefix", "coffee ta", "coffee-table"),

  described("red wool rug", "rug", { colour: "red" }, { material: "wool" }),
  described("blue velvet sofa", "sofa", { colour: "blue" }, { material: "velvet" }),
  described("green cotton cushion", "cushion", { colour: "green" }, { material: "cotton" }),
  described("black leather armchair", "armchair", { colour: "black" }, { material: "leather" }),
  described("grey wool blanket", "blanket", { colour: "grey" }, { material: "wool" }),
  described("pink linen curtain", "curtain", { colour: "pink" }, { material: "linen" }),
  described("navy wool scarf", "scarf", { colour: "blue" }, { material: "wool" }),
  described("cast iron skillet", "frying-pan", { material: "cast iron" }),
  described("stainless steel kettle", "kettle", { material: "steel" }),
  described("yellow raincoat", "raincoat", { colour: "yellow" }),
  described("folding garden chair", "garden-chair", { feature: "folding" }),
  described("waterproof backpack", "backpack", { feature: "waterproof" }),
  described("cordless drill", "drill", { feature: "cordless" }),
  described("solar garden light", "garden-light", { feature: "solar" }),
  described(
    "brass floor lamp, dimmable",
    "floor-lamp",
    { material: "brass" },
    { feature: "dimmable" },
  ),
  described("oak dining table 180 cm", "dining-table", { material: "oak" }, { size: "180 cm" }),
  described(
    "non-stick frying pan 28 cm",
    "frying-pan",
    { feature: "non-stick" },
    { size: "28 cm" },
  ),
  described("charcoal trousers", "trousers", { colour: "grey" }),

  {
    text: "something to sit on in the garden",
    kind: "category",
    rule: [
      [3, { use: "sitting", place: "garden" }],
      [2, { family: "camping-chair" }],
      [1, { family: ["chair-cushion", "garden-table"] }],
    ],
  },
  {
    text: "furniture for the bedroom",
    kind: "category",
    rule: [
      [3, { family: ["bed", "bedside-table", "wardrobe", "dresser"] }],
      [2, { family: "mattress" }],
      [1, { family: "cot" }],
    ],
  },
  {
    text: "lights for outdoors",
    kind: "category",
    rule: [
      [3, { family: "garden-light" }],
      [2, { use: "light", place: "outdoors" }],
      [2, { family: "fairy-lights" }],
    ],
  },
  {
    text: "toys for children",
    kind: "category",
    rule: [
      [3, { department: "Toys", audience: "children" }],
      [2, { department: "Toys" }],
      [1, { audience: "children" }],
    ],
  },
  { text: "everything for a newborn", kind: "category", rule: [[3, { department: "Baby" }]] },
  {
    text: "luggage for travelling",
    kind: "category",
    rule: [
      [3, { family: "suitcase" }],
      [2, { family: "backpack" }],
      [1, { family: ["handbag", "pannier"] }],
    ],
  },
  {
    text: "pots and pans",
    kind: "category",
    rule: [
      [3, { family: ["frying-pan", "saucepan"] }],
      [1, { family: "pan-lid" }],
    ],
  },
  { text: "bike accessories", kind: "category", rule: [[3, { family: bikeAccessories }]] },
  {
    text: "warm clothes for winter",
    kind: "category",
    rule: [
      [3, { family: ["gloves", "scarf", "hat", "jumper"] }],
      [1, { family: "slippers" }],
    ],
  },
  {
    text: "somewhere to store clothes",
    kind: "category",
    rule: [
      [3, { family: ["wardrobe", "dresser"] }],
      [1, { use: "storing", department: "Furniture" }],
    ],
  },
  {
    text: "gardening tools",
    kind: "category",
    rule: [
      [3, { family: ["secateurs", "spade", "wheelbarrow"] }],
      [2, { family: ["garden-gloves", "watering-can", "hose", "lawn-mower"] }],
    ],
  },
  {
    text: "dinnerware",
    kind: "category",
    rule: [
      [3, { family: "plate" }],
      [2, { family: "mug" }],
      [1, { family: "tablecloth" }],
    ],
  },
  {
    text: "equipment to sleep in the wild",
    kind: "category",
    rule: [
      [3, { department: "Camping", use: "sleeping" }],
      [1, { department: "Camping" }],
    ],
  },
  {
    text: "power tools",
    kind: "category",
    rule: [
      [3, { family: "drill" }],
      [2, { family: "drill-bits" }],
      [1, { family: "lawn-mower" }],
    ],
  },

  wanted("paraphrase", "keeps coffee hot on a long walk", "vacuum-flask", "water-bottle"),
  wanted("paraphrase", "so that nobody steals my wheels", "bike-lock"),
  {
    text: "see the trail at night with both hands free",
    kind: "paraphrase",
    rule: [
      [3, { family: "head-torch" }],
      [2, { family: "torch" }],
      [1, { family: "bike-light" }],
    ],
  },
  wanted("paraphrase", "calm a crying infant", "dummy", "baby-monitor"),
  wanted("paraphrase", "hear the little one wake next door", "baby-monitor"),
  wanted("paraphrase", "get dry after swimming", "towel"),
  wanted("paraphrase", "wipe muddy shoes before coming in", "doormat"),
  {
    text: "tighten a loose bolt",
    kind: "paraphrase",
    rule: [
      [3, { family: "spanner" }],
      [2, { family: ["screwdriver", "pliers"] }],
    ],
  },
  {
    text: "fix a picture to the wall",
    kind: "paraphrase",
    rule: [
      [3, { family: "hammer" }],
      [2, { family: ["drill", "screwdriver"] }],
      [1, { family: "drill-bits" }],
    ],
  },
  wanted("paraphrase", "keep milk and vegetables fresh at home", "fridge", "cool-box"),
  wanted("paraphrase", "protect my skull when I fall off", "bike-helmet"),
  {
    text: "roast sausages over a fire with friends",
    kind: "paraphrase",
    rule: [
      [3, { family: "barbecue" }],
      [1, { family: ["charcoal", "camping-stove"] }],
    ],
  },
  wanted("paraphrase", "make the room dark in the morning", "curtain"),
  wanted("paraphrase", "pack for a fortnight by plane", "suitcase", "backpack"),
  {
    text: "stay dry in a downpour",
    kind: "paraphrase",
    rule: [
      [3, { family: ["raincoat", "umbrella"] }],
      [1, { feature: "waterproof" }],
    ],
  },
  wanted("paraphrase", "cuddly friend for falling asleep", "teddy", "doll"),
  wanted("paraphrase", "sit all day at the computer without pain", "office-chair", "desk"),
  wanted("paraphrase", "hide stains and cat hair on old upholstery", "sofa-cover", "blanket"),
  wanted("paraphrase", "where a toddler eats with everybody", "high-chair"),
  wanted("paraphrase", "make a hole in the soil for a tree", "spade"),
  wanted("paraphrase", "warm feet on cold tiles", "slippers", "rug"),
  wanted("paraphrase", "trim what grows too high around the house", "lawn-mower"),
];
