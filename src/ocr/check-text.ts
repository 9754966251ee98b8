/** What an engine gives may be anything: it becomes plain lines, or an error that says what is wrong. */
import { oneLine } from '../text/one-line.ts';
import { preview } from '../text/preview.ts';
import type { OcrBox, OcrLine, OcrWord } from './ocr-engine.ts';
import type { RecognizedPage } from './recognized-page.ts';

/** Of one picture; a dense page has 150 lines. What is beyond is left out. */
const mostLines = 20_000;
const mostWords = 2_000;
const mostCharacters = 500_000;

/** Throws a `TypeError` for what is no text. */
export function checkedText(given: unknown): RecognizedPage {
  if (typeof given === 'string') {
    const lines = given.slice(0, mostCharacters).split(/\r\n?|\n/, mostLines);
    return { lines: lines.map((text) => ({ text: text.trim() })), confidence: undefined };
  }
  const { lines } = (given ?? {}) as { lines?: unknown };
  if (typeof given !== 'object' || !Array.isArray(lines)) {
    throw new TypeError(`it gave ${preview(given)}; expected text, or { lines: [{ text }] }`);
  }
  let room = mostCharacters;
  const checked: OcrLine[] = [];
  for (const line of (lines as unknown[]).slice(0, mostLines)) {
    const one = checkedLine(line, room);
    room -= one.text.length;
    checked.push(one);
    if (room <= 0) break;
  }
  return { lines: checked, confidence: meanConfidence(checked) };
}

function checkedLine(given: unknown, room: number): OcrLine {
  const { text, box, confidence, words } = (given ?? {}) as Record<string, unknown>;
  if (typeof text !== 'string') {
    throw new TypeError(`it gave the line ${preview(given)}; expected { text, box?, words? }`);
  }
  const place = checkedBox(box);
  return {
    text: oneLine(text).slice(0, room),
    ...(place === undefined ? {} : { box: place }),
    ...(place === undefined || !Array.isArray(words) ? {} : { words: checkedWords(words) }),
    ...(typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? { confidence } : {}),
  };
}

/** One that has no place would be lost among the others: then the line counts. */
function checkedWords(given: readonly unknown[]): OcrWord[] {
  const words: OcrWord[] = [];
  for (const one of given.slice(0, mostWords)) {
    const { text, box } = (one ?? {}) as Record<string, unknown>;
    const place = checkedBox(box);
    if (typeof text !== 'string' || place === undefined) return [];
    if (text.trim() !== '') words.push({ text: text.trim().slice(0, 1000), box: place });
  }
  return words;
}

function checkedBox(given: unknown): OcrBox | undefined {
  const { left, top, right, bottom } = (given ?? {}) as Record<string, unknown>;
  if (!isPlace(left) || !isPlace(top) || !isPlace(right) || !isPlace(bottom)) return undefined;
  return right > left && bottom > top ? { left, top, right, bottom } : undefined;
}

function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < 1e6;
}

function meanConfidence(lines: readonly OcrLine[]): number | undefined {
  let [sum, length] = [0, 0];
  for (const { text, confidence } of lines) {
    if (confidence === undefined) continue;
    sum += confidence * text.length;
    length += text.length;
  }
  return length === 0 ? undefined : sum / length;
}
