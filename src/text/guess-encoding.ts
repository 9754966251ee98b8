/** The encoding of text that declares none and is not UTF-8: by its language and by its letters. */
import { TextDecoder } from '@exodus/bytes/encoding.js';
import { type Language, languages } from './languages.ts';

/** What is known of the text beside its bytes. */
export interface EncodingHints {
  /** A language tag. */
  readonly language?: string | undefined;
  /** A top-level domain. */
  readonly domain?: string | undefined;
}

/**
 * The encoding in which the bytes are most like a text of its language: `windows-1252` where nothing
 * says otherwise. A declared language outweighs a few letters, but not a text in another one.
 */
export function guessEncoding(bytes: Uint8Array, hints: EncodingHints): string {
  const sample = takeSample(bytes);
  const decoded = new Map<string, string>();
  let best = { encoding: 'windows-1252', score: 0 };
  for (const language of languages) {
    const bonus = bonusFor(language, hints);
    for (const encoding of language.encodings) {
      const text = decoded.get(encoding) ?? new TextDecoder(encoding).decode(sample);
      decoded.set(encoding, text);
      const score = bonus + scoreOf(text, language);
      if (score > best.score) best = { encoding, score };
    }
  }
  return best.encoding;
}

/** Letters that a hint is worth. */
const languageBonus = 6;
const domainBonus = 4;
const westernBonus = 2;

function bonusFor(language: Language, { language: tag = '', domain = '' }: EncodingHints): number {
  const wanted = tag.toLowerCase().replaceAll('_', '-');
  const [primary = ''] = wanted.split('-');
  // zh-TW is not zh; de-AT is de.
  const known = languages.some(({ tags }) => tags.includes(wanted)) ? wanted : primary;
  const isWestern = language.encodings.includes('windows-1252');
  return (
    (language.tags.includes(known) ? languageBonus : 0) +
    (language.domains.includes(domain.toLowerCase()) ? domainBonus : 0) +
    (isWestern ? westernBonus : 0)
  );
}

/** Bytes. */
const maximumRead = 1_000_000;
const maximumSample = 4_000;

/** Below this score a guess is out; most get there within a hundred letters. */
const hopeless = -40;

/**
 * The surroundings of bytes beyond ASCII: all of a character of several bytes, whose later ones may
 * be ASCII, and its neighbours.
 */
function takeSample(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(maximumSample + 4);
  let length = 0;
  /** ASCII bytes since the last other one. */
  let plain = 3;
  const end = Math.min(bytes.length, maximumRead);
  for (let at = 0; at < end && length < maximumSample; at++) {
    const byte = bytes[at] ?? 0;
    plain = byte < 0x80 ? plain + 1 : 0;
    if (plain > 2) continue;
    // Coming out of a longer stretch of ASCII: its last byte is a neighbour.
    const before = bytes[at - 1] ?? newLine;
    if (
      plain === 0 &&
      before < 0x80 &&
      (bytes[at - 2] ?? 0) < 0x80 &&
      (bytes[at - 3] ?? 0) < 0x80
    ) {
      sample[length++] = newLine;
      sample[length++] = before;
    }
    sample[length++] = byte;
  }
  return sample.subarray(0, length);
}

const newLine = 0x0a;

/** How much a text is like one of this language: about 1 for each byte of its letters. */
function scoreOf(text: string, language: Language): number {
  let score = 0;
  let before = '\n';
  let run = 0;
  for (const character of text) {
    if (character < '\x80') {
      if (!language.isLatin && isAsciiLetter(character) && run > 0) score -= 1;
      run = 0;
    } else {
      score += valueOf(character, before, language);
      if (isLetter.test(character)) {
        run += 1;
        if (language.isLatin && run > 2) score -= 1;
        if (!language.isLatin && isAsciiLetter(before)) score -= 1;
      }
    }
    before = character;
    if (score < hopeless) break;
  }
  return score;
}

function valueOf(character: string, before: string, language: Language): number {
  const { common, rare, script } = language;
  const lower = character.toLowerCase();
  // A character of two bytes counts as two letters.
  const size = script === undefined ? 1 : 2;
  const worth = common.has(lower) ? 1 : rare.has(lower) ? 0.6 : 0;
  if (worth > 0) {
    if (lower === character) return size * worth;
    // Capitals begin words; those inside of words come from a wrong guess.
    if (before !== before.toUpperCase()) return -1;
    return before === before.toLowerCase() ? worth : worth * 0.3;
  }
  if (script?.test(character) === true) return size * 0.3;
  if (isImpossible.test(character)) return -3;
  if (isTypographic.test(character)) return isAsciiLetter(before) && character !== '’' ? -0.2 : 0.2;
  return isLetter.test(character) ? -1 * size : -1;
}

const isLetter = /[\p{L}\p{M}]/u;

/** Replacement characters, controls, private use, half-width katakana. */
const isImpossible = /[\ufffd\x80-\x9f\ue000-\uf8ff\uff61-\uff9f]|\p{Co}/u;

/** Signs that texts of every language have. */
const isTypographic = /[\u00a0“”„‘’‚‹›«»–—…•·©®™°€£§±×½¼²³µ¿¡´]/;

function isAsciiLetter(character: string): boolean {
  return /^[a-z]$/i.test(character);
}
