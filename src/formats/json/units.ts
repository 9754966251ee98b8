/** Units of measurement in names and texts, so far as numbers are converted between them. */

/** A unit by its kind and its size in the kind's base unit. */
export interface Unit {
  readonly kind: string;
  readonly size: number;
}

/** Names by kind, each with its size; the base units are gram, metre, litre, second and byte. */
const table: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  mass: {
    'mg milligram milligrams': 0.001,
    'g gram grams gramm grm': 1,
    'kg kilogram kilograms kilogramm kilo kgm': 1000,
    'oz ounce ounces onz': 28.349523125,
    'lb lbs pound pounds lbr': 453.59237,
  },
  length: {
    'mm millimeter millimeters millimetre millimetres mmt': 0.001,
    'cm centimeter centimeters centimetre centimetres cmt': 0.01,
    'm meter meters metre metres mtr': 1,
    'km kilometer kilometers kilometre kilometres kmt': 1000,
    'in inch inches inh': 0.0254,
    'ft foot feet fot': 0.3048,
    'mi mile miles smi': 1609.344,
  },
  volume: {
    'ml milliliter milliliters millilitre millilitres mlt': 0.001,
    'cl centiliter centilitre': 0.01,
    'l liter liters litre litres ltr': 1,
  },
  time: {
    's sec secs second seconds sekunden': 1,
    'min mins minute minutes minuten': 60,
    'h hr hrs hour hours std stunde stunden': 3600,
    'd day days tag tage': 86_400,
  },
  bytes: {
    'kb kilobytes': 1000,
    'mb megabytes': 1_000_000,
    'gb gigabytes': 1_000_000_000,
  },
};

/** Words at the end of names that are units but too short or too many-sided to convert. */
const others =
  'usd eur gbp chf jpy dollars euros cents percent pct sqm m2 sqft ft2 watts w ' +
  'volts v mah kcal kwh c f';

const units: ReadonlyMap<string, Unit> = new Map(
  Object.entries(table).flatMap(([kind, sizes]) =>
    Object.entries(sizes).flatMap(([names, size]) =>
      names.split(' ').map((name) => [name, { kind, size }] as const),
    ),
  ),
);

/** Words that say in which unit a property is, not what it is. */
export const unitWords: ReadonlySet<string> = new Set([...units.keys(), ...others.split(' ')]);

/** The unit of that name, in any case: `kg`, `Minutes`. */
export function unitNamed(name: string): Unit | undefined {
  return units.get(name.toLowerCase());
}

/** The unit that a property's words or its description ask for: `weightKg`, "in minutes". */
export function wantedUnit(words: readonly string[], description: string): Unit | undefined {
  const last = words.length > 1 ? words.at(-1) : undefined;
  if (last !== undefined && units.has(last)) return units.get(last);
  for (const [, after, within] of description.matchAll(/\bin ([a-z]+)\b|\(([a-z]+)\)/gi)) {
    const unit = unitNamed(after ?? within ?? '');
    if (unit !== undefined) return unit;
  }
  return undefined;
}
