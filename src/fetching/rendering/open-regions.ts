/** The regions that a pass over a page is in: kept by counting namesakes, so an end tag that is missing elsewhere does no harm. */
import type { ElementRole, RegionKind } from './element-roles.ts';
import type { Filling } from './page-outline.ts';

type Measure = Pick<Filling, 'shown' | 'media' | 'fields'>;

interface Region extends ElementRole {
  readonly tag: string;
  readonly before: Measure;
  /** Elements of the same name that are open, this one included. */
  depth: number;
}

/** Regions inside each other that are followed; what is nested deeper is part of them. */
const mostOpen = 16;
/** Mount points and main parts that are told. */
const mostFilled = 50;

/** Follows chrome, hidden parts, main parts and mount points. */
export class OpenRegions {
  readonly #open: Region[] = [];
  readonly #filled = { mounts: [] as Filling[], mains: [] as Filling[] };

  /** Tells of a start tag, before `open` tells that a region begins with it. */
  note(tag: string): void {
    for (const region of this.#open) if (region.tag === tag) region.depth += 1;
  }

  /** Begins a region. */
  open(tag: string, start: ElementRole, before: Measure): void {
    if (start.kind === 'main') this.leaveChrome();
    if (this.#open.length >= mostOpen) return;
    // One inside its like changes nothing, and a page may have a million of them.
    if (this.#open.some((region) => region.tag === tag && region.kind === start.kind)) return;
    // The header of an article is part of it.
    if (start.kind === 'chrome' && tag === 'header' && this.isIn('main')) return;
    const { kind, name, framework } = start;
    this.#open.push({ kind, name, framework, tag, before, depth: 1 });
  }

  /** True when a region may end with an end tag of this name. */
  has(tag: string): boolean {
    for (const region of this.#open) if (region.tag === tag) return true;
    return false;
  }

  close(tag: string, now: Measure): void {
    for (let index = this.#open.length - 1; index >= 0; index -= 1) {
      const region = this.#open[index];
      if (region?.tag !== tag) continue;
      region.depth -= 1;
      if (region.depth > 0) continue;
      this.#open.splice(index, 1);
      this.#fill(region, now);
    }
  }

  isIn(kind: RegionKind): boolean {
    for (const region of this.#open) if (region.kind === kind) return true;
    return false;
  }

  /** The main part is never inside navigation: an end tag was forgotten. */
  leaveChrome(): void {
    for (let index = this.#open.length - 1; index >= 0; index -= 1) {
      if (this.#open[index]?.kind === 'chrome') this.#open.splice(index, 1);
    }
  }

  /** At the end of the page: what was never closed ends here. */
  finish(now: Measure): {
    readonly mounts: readonly Filling[];
    readonly mains: readonly Filling[];
  } {
    for (const region of this.#open.splice(0)) this.#fill(region, now);
    return this.#filled;
  }

  #fill({ kind, name, framework, before }: Region, now: Measure): void {
    const list =
      kind === 'mount' ? this.#filled.mounts : kind === 'main' ? this.#filled.mains : undefined;
    if (list === undefined || list.length >= mostFilled) return;
    list.push({
      ...{ name, framework, shown: now.shown - before.shown },
      ...{ media: now.media - before.media, fields: now.fields - before.fields },
    });
  }
}
