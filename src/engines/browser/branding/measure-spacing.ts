/** Distances that the page repeats. */
import type { BrandSpacing } from '../../../model/branding.ts';
import type { SchemeReading } from './read-scheme.ts';
import { withoutUndefined } from './without-undefined.ts';

/** Measures. */
export function measureSpacing({ records, painting, controls }: SchemeReading): BrandSpacing {
  const surfaces = records.boxes.filter((box, index) => {
    const painted = painting.boxes[index];
    const isDrawn = box.background >= 0 || box.border >= 0;
    // Bars over the whole width have no corners to round.
    return isDrawn && painted?.isCovered === false && box.width < records.width * 0.9;
  });
  const radii = [
    ...surfaces.map(({ radius }) => radius),
    // Buttons and fields once more: they are what a radius is for.
    ...controls.map(({ box }) => records.boxes[box]?.radius ?? 0),
  ];
  return withoutUndefined({ baseUnit: baseUnit(records.distances), borderRadius: usual(radii) });
}

/** The largest of the usual units that four of five distances are multiples of. */
function baseUnit(distances: readonly (readonly [number, number])[]): number | undefined {
  // A pixel or two is a line or a nudge; beyond 200 it is the width of the window.
  const counted = distances.filter(([pixels]) => pixels >= 3 && pixels <= 200);
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  if (total < 10) return undefined;
  return [10, 8, 6, 5, 4].find((unit) => {
    const fitting = counted.filter(([pixels]) => pixels % unit === 0);
    return fitting.reduce((sum, [, count]) => sum + count, 0) >= total * 0.8;
  });
}

/** Rounded corners count before square ones: rows and cells are square on the roundest of pages. */
function usual(radii: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  // A circle or a pill is a shape, not a radius.
  for (const radius of radii) {
    if (radius < 100) counts.set(radius, (counts.get(radius) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  const rounded = sorted.find(([radius]) => radius > 0);
  const isCommon = rounded !== undefined && rounded[1] >= radii.length * 0.1;
  return isCommon ? rounded[0] : sorted[0]?.[0];
}
