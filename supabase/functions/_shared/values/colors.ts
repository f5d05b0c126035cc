/** Black or white: the one with the higher contrast on a colour, as WCAG measures it. */
export function readableOn(color: string): "#000000" | "#ffffff" {
  const light = luminance(color) + 0.05;
  return light / 0.05 > 1.05 / light ? "#000000" : "#ffffff";
}

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
