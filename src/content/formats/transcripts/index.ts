/** transcripts: the captions, subtitles and transcripts of a page's video and sound, with times. */
import { z } from 'zod';
import { type ErrorCode, messageOf, PagewrightError } from '../../../core/runtime/errors.ts';
import { startDeadline } from '../../../core/runtime/deadline.ts';
import { check } from '../../../core/checks/check.ts';
import { readCues } from '../../text/subtitle-cues.ts';
import { builtInModule, type PageFiles, type Format } from '../format.ts';
import { findTracks, type FoundTrack } from './find-tracks.ts';
import { compact } from '../../../core/runtime/compact.ts';
import { parseJson } from '../../../core/runtime/json.ts';

const limits = {
  bytes: 5_000_000, // of one file: an hour of captions has about 100 KB
  cues: 50_000, // of one file
  timeout: 60_000, // milliseconds for all files of a page
};

/** Options of the transcripts format. */
export interface TranscriptOptions {
  /** Only these languages, `en` for `en-US` as well; tracks without a language count always. @default all */
  readonly languages?: readonly string[] | undefined;
  /** The most files to download. @default 20 */
  readonly maxCount?: number | undefined;
}

/** A piece of a transcript with its times. */
export interface TranscriptCue {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly speaker?: string;
  /** Without markup, lines joined by a blank. */
  readonly text: string;
}

/** A transcript. A file that could not be had or read has an `error`, and neither cues nor text. */
export interface Transcript extends FoundTrack {
  /** In the order of their times; empty for a text without times. */
  readonly cues: readonly TranscriptCue[];
  readonly text: string;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

const optionsSchema = z.strictObject({
  languages: z.array(z.string().min(1).max(35)).min(1).optional(),
  maxCount: z.int().min(1).max(200).optional(),
} satisfies Record<keyof TranscriptOptions, z.ZodType>);

/**
 * Of `track` elements, links to .vtt and .srt files, the JSON of players (`captionTracks`), `VideoObject` in JSON-LD
 * and `podcast:transcript` in feeds. Files are downloaded as the page was, by its network policy, robots.txt and pace;
 * WebVTT, SRT and JSON with times (json3, podcast) are read.
 */
export const transcripts: Format<
  'transcripts',
  Transcript[],
  TranscriptOptions | undefined,
  FoundTrack[],
  undefined
> = {
  name: 'transcripts',
  needs: 'page',
  worker: builtInModule,
  parseOptions: (options) => check('transcripts', optionsSchema, options),
  uses: () => ({ downloads: true }),
  runOptions: () => undefined,
  run: findTracks,
  async finish(found, { languages, maxCount = 20 } = {}, { visit, signal, warn }) {
    const wanted = found.filter(({ language }) => isWanted(language, languages));
    if (wanted.length > maxCount) {
      warn(
        `${wanted.length - maxCount} transcripts of the page were left out: maxCount is ${maxCount}.`,
      );
    }
    using deadline = startDeadline(limits.timeout, [signal], 'The download of the transcripts');
    const read: Transcript[] = [];
    for (const track of wanted.slice(0, maxCount)) {
      const had = await readTrack(track, visit?.files, deadline.signal);
      read.push({ text: '', cues: [], ...track, ...(visit?.redact?.(had) ?? had) });
      signal.throwIfAborted();
    }
    return read;
  },
};

function isWanted(language: string | undefined, languages: readonly string[] | undefined): boolean {
  if (languages === undefined || language === undefined) return true;
  const prefix = (tag: string): string => `${tag.toLowerCase().replaceAll('_', '-')}-`;
  return languages.some((one) => prefix(language).startsWith(prefix(one)));
}

async function readTrack(
  { url }: FoundTrack,
  files: PageFiles | undefined,
  signal: AbortSignal,
): Promise<Partial<Transcript>> {
  if (url === undefined || files === undefined) return {};
  try {
    const { body } = await files.download(url, { maxBytes: limits.bytes, signal });
    const source = new TextDecoder().decode(body);
    const cues = source.trimStart().startsWith('{') ? jsonCues(source) : cuesOf(source);
    if (cues.length > 0) return { cues, text: cues.map(({ text }) => text).join('\n') };
    const message = `${url} has no cues of WebVTT, SRT or JSON.`;
    throw new PagewrightError('UNSUPPORTED_CONTENT', message, { url });
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : error;
    const code = cause instanceof PagewrightError ? cause.code : 'HOOK_FAILED';
    return { error: { code, message: messageOf(cause) } };
  }
}

function cuesOf(source: string): TranscriptCue[] {
  const cues = readCues(source, limits.cues).map(({ from, to, speaker, lines }) =>
    compact<TranscriptCue>({ start: from, end: to, speaker, text: lines.join(' ') }),
  );
  return inOrder(cues);
}

const seconds = z.number().min(0).max(1_000_000);

/** The JSON of podcasts (`segments`), and json3 of players (`events`). */
const jsonSchema = z.union([
  z.object({
    segments: z.array(
      z.object({
        startTime: seconds,
        endTime: seconds.optional(),
        speaker: z.string().optional(),
        body: z.string(),
      }),
    ),
  }),
  z.object({
    events: z.array(
      z.object({
        tStartMs: z.number().min(0).optional(),
        dDurationMs: z.number().min(0).optional(),
        segs: z.array(z.object({ utf8: z.string().optional() })).optional(),
      }),
    ),
  }),
]);

/** Other JSON has no cues. */
function jsonCues(source: string): TranscriptCue[] {
  const { data: file } = jsonSchema.safeParse(parseJson(source));
  if (file === undefined) return [];
  const cues: TranscriptCue[] =
    'segments' in file
      ? file.segments
          .slice(0, limits.cues)
          .map(({ startTime, endTime = startTime, speaker, body }) =>
            compact({ start: startTime, end: endTime, speaker, text: plain(body) }),
          )
      : file.events.slice(0, limits.cues).map(({ tStartMs = 0, dDurationMs = 0, segs = [] }) => ({
          start: tStartMs / 1000,
          end: (tStartMs + dDurationMs) / 1000,
          text: plain(segs.map(({ utf8 = '' }) => utf8).join('')),
        }));
  return inOrder(cues.filter(({ text }) => text !== ''));
}

function plain(text: string): string {
  return text
    .replace(/<[^<>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Sorted by their start; an end before the start is the start. */
function inOrder(cues: readonly TranscriptCue[]): TranscriptCue[] {
  return cues
    .map((cue) => ({ ...cue, end: Math.max(cue.start, cue.end) }))
    .sort((one, other) => one.start - other.start);
}
