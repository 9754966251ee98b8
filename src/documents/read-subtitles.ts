/** Joins subtitle cues to paragraphs, each with its start time. */
import { escapeText } from '../content/html/serialize.ts';
import { type Cue, readCues } from '../content/text/subtitle-cues.ts';
import type { FileContent } from '../content/parsers/file-parser.ts';

const thresholds = {
  roll: 0.1, // seconds within which roll-up captions follow each other
  pause: 4, // seconds of silence after which a new paragraph begins
  long: 400, // characters after which the next end of a sentence ends the paragraph
  longest: 1_200, // characters after which any cue does
};

/** A paragraph being built. */
interface Paragraph {
  readonly from: number;
  readonly speaker: string | undefined;
  readonly lines: string[];
  length: number;
  to: number;
}

/** Undefined when there are no cues. */
export function readSubtitles(source: string): FileContent | undefined {
  const title = /^\ufeff?WEBVTT[ \t]+(?:-[ \t]*)?(\S.*)/.exec(source)?.[1]?.trim();
  const cues = readCues(source);
  if (cues.length === 0) return undefined;
  const hours = cues.some(({ from }) => from >= 3_600);
  const html = joined(cues)
    .map(({ from, speaker, lines }) => {
      const name = speaker === undefined ? '' : `${escapeText(speaker)}: `;
      return `<p><b>${clock(from, hours)}</b> ${name}${escapeText(lines.join(' '))}</p>`;
    })
    .join('\n');
  const heading = title === undefined ? '' : `<h1>${escapeText(title)}</h1>\n`;
  return { html: heading + html, title };
}

function joined(cues: readonly Cue[]): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  /** Roll-up captions repeat their last lines. */
  let visible: readonly string[] = [];
  let end = -Infinity;
  for (const { from, to, speaker, lines } of cues) {
    const isNext = from - end <= thresholds.roll;
    const fresh = isNext ? lines.filter((line) => !visible.includes(line)) : lines;
    visible = lines;
    end = to;
    const last = paragraphs.at(-1);
    if (fresh.length === 0) {
      if (last !== undefined) last.to = to;
      continue;
    }
    const length = fresh.reduce((sum, line) => sum + line.length, 0);
    if (last === undefined || startsAnew(last, from, speaker, fresh[0] ?? '')) {
      paragraphs.push({ from, to, speaker, lines: [...fresh], length });
    } else {
      last.lines.push(...fresh);
      last.length += length;
      last.to = to;
    }
  }
  return paragraphs;
}

function startsAnew(
  last: Paragraph,
  from: number,
  speaker: string | undefined,
  line: string,
): boolean {
  const isSentence = /[.!?…。！？]["'”’)\]]*$/.test(last.lines.at(-1) ?? '');
  return (
    from - last.to > thresholds.pause ||
    speaker !== last.speaker ||
    // A change of speaker, as in subtitles for the deaf.
    /^(?:[-–—]\s|>>)/.test(line) ||
    (last.length > thresholds.long && isSentence) ||
    last.length > thresholds.longest
  );
}

/** `01:02:03`, or `02:03` in a file shorter than an hour. */
function clock(time: number, withHours: boolean): string {
  const whole = Math.floor(time);
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  if (withHours) parts.unshift(Math.floor(whole / 3_600));
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
