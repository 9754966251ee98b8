/** The organisation that JSON-LD names. */

/** What is known of it. */
export interface NamedOrganization {
  readonly name?: string | undefined;
  /** As written. */
  readonly logo?: string | undefined;
}

/** Things looked at, so that a block made of brackets ends. */
const thingLimit = 2000;

/** The first organisation or publisher of the page with a logo, else the first with a name. */
export function readOrganization(blocks: readonly string[]): NamedOrganization {
  const found: NamedOrganization[] = [];
  let seen = 0;
  for (const block of blocks) {
    const waiting: unknown[] = [parsed(block)];
    for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) {
      if (seen++ > thingLimit) break;
      if (Array.isArray(thing)) waiting.push(...(thing as unknown[]).slice(0, 200));
      if (typeof thing !== 'object' || thing === null || Array.isArray(thing)) continue;
      if (isOrganization(thing)) found.push({ name: text(thing, 'name'), logo: logoOf(thing) });
      // A product's brand or an event's sponsor is somebody else.
      for (const name of ['@graph', 'publisher', 'isPartOf', 'mainEntity', 'provider']) {
        const inner: unknown = Reflect.get(thing, name);
        if (typeof inner === 'object' && inner !== null) waiting.push(inner);
      }
    }
  }
  return found.find(({ logo }) => logo !== undefined) ?? found[0] ?? {};
}

function parsed(block: string): unknown {
  try {
    return JSON.parse(block) as unknown;
  } catch {
    return undefined;
  }
}

function isOrganization(thing: object): boolean {
  const type: unknown = Reflect.get(thing, '@type');
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.some(
    (one) =>
      typeof one === 'string' &&
      /(Organization|Corporation|Business|Store|Restaurant|Brand|Airline|NGO|School|University|Hotel)$/.test(
        one,
      ),
  );
}

function logoOf(thing: object): string | undefined {
  const logo: unknown = Reflect.get(thing, 'logo');
  const first: unknown = Array.isArray(logo) ? logo[0] : logo;
  if (typeof first === 'string') return first || undefined;
  if (typeof first !== 'object' || first === null) return undefined;
  return text(first, 'contentUrl') ?? text(first, 'url') ?? text(first, '@id');
}

function text(thing: object, name: string): string | undefined {
  const value: unknown = Reflect.get(thing, name);
  return typeof value === 'string' && value.trim() !== '' && value.length < 3000
    ? value.trim()
    : undefined;
}
