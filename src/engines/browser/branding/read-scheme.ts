/** One look at the page as it is now: what is painted, and the buttons and fields on it. */
import { checkAnswer } from '../../../actions/check-answer.ts';
import type { InPage, IsolatedWorld } from '../../../actions/isolated-world.ts';
import type { Rgba } from './color.ts';
import { colorsOf } from './component-look.ts';
import { collectStyles } from './in-page/collect-styles.ts';
import { findControls } from './in-page/find-controls.ts';
import { heldRecords } from './in-page/held-records.ts';
import { readLooks } from './in-page/read-looks.ts';
import { paint, type Painting } from './paint.ts';
import { readColors } from './read-colors.ts';
import type { ControlRecord, LookRecord, StyleLimits, StyleRecords } from './style-records.ts';

/** What was seen. */
export interface SchemeReading {
  readonly records: StyleRecords;
  readonly painting: Painting;
  readonly controls: readonly SeenControl[];
  /** For each box the control that it is in, -1 for none. */
  readonly controlOf: readonly number[];
  readonly colors: ReadonlyMap<string, Rgba>;
  /** The boxes' elements, in the page. */
  readonly held: InPage<object>;
}

/** A control with its styles. */
export interface SeenControl extends ControlRecord {
  readonly look: LookRecord;
}

const limits: StyleLimits = {
  elements: 5000,
  time: 700,
  height: 12_000,
  consent: [
    'cookie[-_]?(banner|bar|consent|notice|popup|modal|message|dialog|overlay|law|wall|policy-)',
    '(^|[\\s_-])(consent|gdpr|ccpa)[-_]?(banner|bar|popup|modal|notice|manager|overlay|dialog|root)',
    'onetrust|cookiebot|cybot|didomi|usercentrics|qc-cmp|truste|sp_message|fc-consent|cc-window',
    'cmp-?(container|banner|wrapper)|iubenda-cs|klaro|osano-cm|termly|borlabs',
  ].join('|'),
  advertisement: [
    '(^|[\\s_-])(ads?|adverts?|advertisement|sponsored)([\\s_-]|$)',
    'adsbygoogle|google_ads|gpt-ad|ad-?(slot|banner|container|wrapper|unit|box|placement)([\\s_-]|$)',
    'taboola|outbrain',
  ].join('|'),
  success: '(^|[\\s_-])(success|positive|in-?stock|valid)([\\s_-]|$)',
  warning: '(^|[\\s_-])(warning|warn|caution)([\\s_-]|$)',
  error: '(^|[\\s_-])(error|danger|invalid|negative|destructive)([\\s_-]|$)',
};
const controlLimit = 60;

/** Looks. */
export async function readScheme(world: IsolatedWorld): Promise<SchemeReading> {
  const held = await world.keep(collectStyles, limits);
  if (held === undefined) throw new Error('The page gave no styles.');
  const records = checkAnswer(await world.callOn(held, heldRecords), recordsSample, 'styles');
  const found = checkAnswer(
    await world.callOn(held, findControls, controlLimit),
    [controlSample],
    'controls',
  );
  const looks = await readHeldLooks(
    world,
    held,
    found.map(({ box }) => box),
  );
  const colors = await readColors(world, [...records.colors, ...looks.flatMap(colorsOf)]);
  const painting = paint(
    records,
    records.colors.map((css) => colors.get(css)),
  );
  const controls = found.flatMap((control, index) => {
    const look = looks[index];
    return look === undefined ? [] : [{ ...control, look }];
  });
  return {
    records,
    painting,
    controls,
    controlOf: controlsOfBoxes(records, controls),
    colors,
    held,
  };
}

/** The styles of some held elements as they are at this moment. */
export async function readHeldLooks(
  world: IsolatedWorld,
  held: InPage<object>,
  boxes: readonly number[],
): Promise<readonly LookRecord[]> {
  return checkAnswer(await world.callOn(held, readLooks, boxes), [lookSample], 'looks');
}

function controlsOfBoxes(
  { boxes }: StyleRecords,
  controls: readonly ControlRecord[],
): readonly number[] {
  const own = new Map(controls.map(({ box }, index) => [box, index]));
  const all: number[] = [];
  // Parents come first.
  for (const [index, { parent }] of boxes.entries()) {
    all.push(own.get(index) ?? all[parent] ?? -1);
  }
  return all;
}

const recordsSample: StyleRecords = {
  prefersDark: false,
  declaredScheme: '',
  ...{ width: 0, height: 0, isCut: false },
  colors: [''],
  fonts: [{ stack: '', size: 0, weight: 0, lineHeight: 0 }],
  boxes: [
    {
      ...{ parent: 0, tag: '', x: 0, y: 0, width: 0, height: 0, layer: 0, opacity: 0 },
      ...{ background: 0, picture: '', color: 0, characters: 0, font: 0, border: 0, borderArea: 0 },
      ...{ radius: 0, place: '', heading: 0, isCode: false, link: 0, mood: '' },
    },
  ],
  distances: [[0, 0]],
};

const controlSample: ControlRecord = {
  ...{ kind: 'button', box: 0, label: '', names: '', isSubmit: false, isDisabled: false },
};

const lookSample: LookRecord = {
  ...{ background: '', backgroundImage: '', color: '', opacity: 0 },
  borders: [['', '', 0]],
  radii: [0],
  shadow: '',
  outline: ['', '', 0],
  padding: [0],
  ...{ fontStack: '', fontSize: 0, fontWeight: 0 },
};
