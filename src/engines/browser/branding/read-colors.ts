/** Colours as the browser writes them, turned into numbers; modern syntaxes by the browser itself. */
import { checkAnswer } from '../../../actions/check-answer.ts';
import type { IsolatedWorld } from '../../../actions/isolated-world.ts';
import { parseRgb, type Rgba } from './color.ts';
import { convertColors } from './in-page/convert-colors.ts';

/** How many colours in modern syntax are asked for. */
const conversionLimit = 500;

/** Gives what each of the strings is; what is no colour is missing. */
export async function readColors(
  world: IsolatedWorld,
  strings: readonly string[],
): Promise<ReadonlyMap<string, Rgba>> {
  const found = new Map<string, Rgba>();
  const modern = new Set<string>();
  for (const css of strings) {
    const color = parseRgb(css);
    if (color === undefined) modern.add(css);
    else found.set(css, color);
  }
  if (modern.size === 0) return found;
  const asked = [...modern].slice(0, conversionLimit);
  const answer = checkAnswer(await world.call(convertColors, asked), [] as unknown[], 'colors');
  for (const [index, css] of asked.entries()) {
    const parts = answer[index];
    if (parts === null) continue;

    found.set(css, checkAnswer<Rgba>(parts, [0, 0, 0, 0], 'color'));
  }
  return found;
}
