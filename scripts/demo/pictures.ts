/**
 * Draws the pictures of the demo's products in `supabase/media`, to which the seed refers.
 * Run it again after a change: node --import tsx scripts/demo/pictures.ts
 */
import { mkdir } from "node:fs/promises";
import sharp from "sharp";

const folder = "supabase/media/d0000000-0000-4000-8000-0000000000a0";

const [WIDTH, HEIGHT] = [960, 720];

/** Background and drawing, by the last two digits of the product's id. */
const pictures: Record<string, [background: string, drawing: string]> = {
  "11": [
    "#2b2440",
    `<path d="M480 110v70" stroke="#d9a441" stroke-width="10"/>
     <circle cx="480" cy="100" r="26" fill="none" stroke="#d9a441" stroke-width="10"/>
     <path d="M400 230l80-50 80 50v270l-80 60-80-60z" fill="#b5792a"/>
     <path d="M430 260l50-32 50 32v210l-50 38-50-38z" fill="#ffd98a"/>
     <path d="M480 228v280M430 300h100M430 370h100M430 440h100" stroke="#b5792a" stroke-width="8"/>`,
  ],
  "12": [
    "#dfe9ea",
    `<circle cx="480" cy="290" r="150" fill="#f7d9a0"/><circle cx="480" cy="290" r="110" fill="#fdf1d2"/>
     <rect x="462" y="430" width="36" height="110" fill="#7d8f91"/><ellipse cx="480" cy="560" rx="130" ry="26" fill="#5d6d6f"/>`,
  ],
  "13": [
    "#f1e7da",
    `<rect x="240" y="150" width="480" height="420" fill="#9c2f2a"/>
     <rect x="270" y="180" width="420" height="360" fill="none" stroke="#f1e7da" stroke-width="10"/>
     <path d="M480 200l150 160-150 160-150-160z" fill="#1f3b57"/><path d="M480 270l85 90-85 90-85-90z" fill="#e0b05c"/>
     <path d="M240 140h480M240 580h480" stroke="#e9dcc7" stroke-width="20" stroke-dasharray="6 8"/>`,
  ],
  "14": [
    "#e8efe4",
    `<path d="M380 200h200l-30 330h-140z" fill="#cfe3dc"/><path d="M388 290h184l-21 240h-142z" fill="#a8602c"/>
     <path d="M384 240h192" stroke="#c9a13d" stroke-width="12"/><ellipse cx="480" cy="548" rx="120" ry="18" fill="#c3cfbf"/>`,
  ],
  "15": [
    "#efe3d3",
    `<ellipse cx="480" cy="420" rx="260" ry="150" fill="#a5652f"/><ellipse cx="480" cy="340" rx="210" ry="90" fill="#bf7d43"/>
     <path d="M480 340l-200-30M480 340l200-30M480 340l-120 82M480 340l120 82M480 340v-90M480 340v90" stroke="#e6c295" stroke-width="6"/>
     <circle cx="480" cy="340" r="22" fill="#e6c295"/>`,
  ],
};

await mkdir(folder, { recursive: true });
for (const [product, [background, drawing]] of Object.entries(pictures)) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
    <rect width="${WIDTH}" height="${HEIGHT}" fill="${background}"/>${drawing}</svg>`;
  await sharp(Buffer.from(svg))
    .png({ palette: true, compressionLevel: 9 })
    .toFile(`${folder}/d0000000-0000-4000-8000-0000000001${product}.png`);
}
