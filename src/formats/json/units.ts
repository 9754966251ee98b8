/** Units of measurement in names and texts, so far as numbers are converted between them. */

/** A unit by its kind and its size in the kind's base unit. */
export interface Unit {
  readonly kind: string;
  readonly size: number;
}

/** Names by kind, each with its size; the base units are gram, metre, litre, second, square metre and byte. */
const table: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  mass: {
    'mg milligram milligrams': 0.001,
    'g gram grams gramm grm': 1,
    'kg kilogram kilograms kilogramm kilo kgm': 1000,
    'oz ounce ounces onz': 28.349523125,
    'lb lbs pound pounds lbr libra libras': 453.59237,
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
    'min mins minute minutes minuten minuto minutos minuti minuut mn': 60,
    'h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur': 3600,
    'd day days tag tage jour jours dia dias giorno giorni': 86_400,
  },
  area: {
    'sqm m2 qm m² mq squaremeters squaremetres': 1,
    'sqft ft2 ft² squarefeet': 0.09290304,
    'ha hectare hectares hektar': 10_000,
    'acre acres': 4046.8564224,
  },
  bytes: {
    'kb kilobytes': 1000,
    'mb megabytes': 1_000_000,
    'gb gigabytes': 1_000_000_000,
  },
};

/** Words at the end of names that are units but too short or too many-sided to convert. */
const others =
  'usd eur gbp chf jpy dollars euros cents percent pct watts w ' + 'volts v mah kcal kwh c f';

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

/** The unit that a text begins with, spaces and dots between its words left aside: `sq. ft.`, `m²`. */
export function unitAtStart(text: string): Unit | undefined {
  const square =
    /^[\s-]*(?:sq(?:uare)?\.?\s*(m|met|ft|f)|(m|ft)[²2](?!\p{L}|\d)|(qm|mq)(?!\p{L}))/iu.exec(text);
  if (square !== null) {
    const word = square[1] ?? square[2] ?? square[3] ?? '';
    return unitNamed(/^f/i.test(word) ? 'sqft' : 'sqm');
  }
  return unitNamed(/^[\s-]*(\p{L}+)/u.exec(text)?.[1] ?? '');
}

/** The unit that a property's words or its description ask for: `weightKg`, "in minutes". */
export function wantedUnit(words: readonly string[], description: string): Unit | undefined {
  const last = words.length > 1 ? words.at(-1) : undefined;
  if (last !== undefined && units.has(last)) return units.get(last);
  if (/\bsquare (?:met|feet|foot)/i.test(description)) {
    return unitNamed(/\bsquare met/i.test(description) ? 'sqm' : 'sqft');
  }
  for (const [, after, within] of description.matchAll(/\bin ([a-z]+)\b|\(([a-z]+)\)/gi)) {
    const unit = unitNamed(after ?? within ?? '');
    if (unit !== undefined) return unit;
  }
  return undefined;
}
