/** Runs in the page: converts colours in any syntax to bytes of sRGB, the way the browser paints them. */

/** Returns red, green, blue (0 to 255) and alpha (0 to 1) of each; null for a string that is not a colour. */
export function convertColors(colors: readonly string[]): (number[] | null)[] {
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return colors.map(() => null);

  const isColor = (css: string): boolean => {
    context.fillStyle = '#000001';
    context.fillStyle = css;
    if (context.fillStyle !== '#000001') return true;
    // Rejected, or equal to the start value: a second start value distinguishes the two.
    context.fillStyle = '#000002';
    context.fillStyle = css;
    return context.fillStyle !== '#000002';
  };
  const paint = (css: string): Uint8ClampedArray => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = css;
    context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data;
  };
  return colors.map((css) => {
    if (!isColor(css)) return null;
    const alpha = (paint(css)[3] ?? 0) / 255;
    // A translucent pixel is stored premultiplied by its alpha, which loses digits: paint it opaque.
    const opaque = `rgb(from ${css} r g b / 1)`;
    const [red = 0, green = 0, blue = 0] = paint(isColor(opaque) ? opaque : css);
    return [red, green, blue, alpha];
  });
}
