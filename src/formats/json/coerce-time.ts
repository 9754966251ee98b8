/** Times of day as people and machines write them, to `20:30`. */

const machine = /T(\d{2}):(\d{2})/;
const clock =
  /(?<![\d.,:])(\d{1,2})\s?(?:[:h](\d{2})|\.(\d{2})(?=\s?(?:Uhr|h\b|[ap]\.?m))|\s?(?=Uhr|h\b|[ap]\.?m\b))\s?(?:([ap])\.?m\b)?/iu;

/** The first time in the text; undefined for none. */
export function coerceTime(text: string): string | undefined {
  const plain = text.slice(0, 200);
  const exact = machine.exec(plain);
  const match = exact ?? clock.exec(plain);
  if (match === null) return undefined;
  const half = exact === null ? match[4]?.toLowerCase() : undefined;
  const written = Number(match[1]);
  const hours = half === undefined ? written : (written % 12) + (half === 'p' ? 12 : 0);
  const minutes = Number(match[2] ?? (exact === null ? match[3] : undefined) ?? '0');
  if (hours > 23 || minutes > 59) return undefined;
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
