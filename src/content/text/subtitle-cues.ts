/** The cues of subtitles, WebVTT and SRT: times and plain text. */

/** One cue. */
export interface Cue {
  /** Seconds. */
  readonly from: number;
  readonly to: number;
  readonly speaker: string | undefined;
  readonly lines: readonly string[];
}

const timing =
  /^[ \t]*((?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{1,3})[ \t]*-->[ \t]*((?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{1,3})/;

/**
 * The cues of a WebVTT or SRT file: blocks between empty lines that have a line with times, unlike notes,
 * styles and regions. Reads the first `most`.
 */
export function readCues(source: string, most: number = Infinity): Cue[] {
  const cues: Cue[] = [];
  let times: RegExpExecArray | undefined;
  let lines: string[] = [];
  const close = (): void => {
    const cue = times && cueOf(times, lines);
    if (cue !== undefined && cue.lines.length > 0) cues.push(cue);
    times = undefined;
    lines = [];
  };
  for (const line of source.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    if (cues.length >= most) break;
    const found = timing.exec(line.slice(0, 200)) ?? undefined;
    if (found !== undefined) {
      close();
      times = found;
    } else if (line.trim() === '') close();
    else if (times !== undefined) lines.push(line);
  }
  close();
  return cues.slice(0, most);
}

function cueOf([, from = '', to = '']: RegExpExecArray, lines: readonly string[]): Cue {
  const speaker = /<v(?:\.[\w.-]*)?[ \t]+([^<>]{1,100})>/.exec(lines[0] ?? '')?.[1]?.trim();
  return { from: seconds(from), to: seconds(to), speaker, lines: lines.map(plain).filter(Boolean) };
}

/** The line without tags, positions and inline times. */
function plain(line: string): string {
  return line
    .replace(/<\/?[a-z0-9][^<>]*>|\{\\[^{}]*\}/gi, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ' };

function seconds(time: string): number {
  return time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0);
}
