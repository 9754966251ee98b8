/** Scrolls through the page, so that what comes into sight late is there when a picture is taken. */

/** Ends at the top; takes `milliseconds` at most. */
export async function seeWholePage(tallest: number, milliseconds: number): Promise<void> {
  const end = Math.min(document.documentElement.scrollHeight, tallest);
  const started = performance.now();
  for (let y = 0; y < end && performance.now() - started < milliseconds; y += innerHeight) {
    scrollTo({ top: y, behavior: 'instant' });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  scrollTo({ top: 0, behavior: 'instant' });
}
