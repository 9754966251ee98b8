/** How far a word is the word that is looked for: itself, a form of it, or a part of a longer one. */

/** How one script builds words. Lengths are in letters. */
interface Script {
  readonly letters: RegExp;
  /** What two forms of a word share, at least. */
  readonly stem: number;
  /** What a word in one form may have after the stem when the other form has nothing there. */
  readonly ending: RegExp;
  /** What both forms may have after the stem at once; `ending` where it is not given. */
  readonly exchanged?: RegExp;
  /** What may be attached before a word. */
  readonly attached?: RegExp;
  /** Letters of a word that counts as the first or last part of a longer one. */
  readonly part: number;
}

const scripts: readonly Script[] = [
  {
    letters: /^\p{Script=Latin}/u,
    stem: 3,
    // maps, mapped, mapping, Uhren, Brote
    ending: /^(?:[aeiouy]{0,2}[snm]?|ings?|e[dr]|ers|ern)$/,
    // story and stories, price and pricing, mappa and mappe
    exchanged: /^(?:[aeiouy]{1,2}[snm]?|ings?|e[dr]|ers)$/,
    part: 4,
  },
  {
    letters: /^\p{Script=Cyrillic}/u,
    stem: 3,
    ending: /^(?:[аеиоуыэюяьії]\p{L}{0,2}|[вмх]|ми)$/u,
    exchanged: /^[аеиоуыэюяьії]\p{L}{0,2}$/u,
    part: 4,
  },
  { letters: /^\p{Script=Greek}/u, stem: 3, ending: /^(?:[αεηιουω]\p{L}{0,2}|[σν])$/u, part: 4 },
  {
    letters: /^\p{Script=Hebrew}/u,
    stem: 2,
    ending: /^(?:ה|י|ת|ות|ימ|ית)$/,
    attached: /^[והבלמשכ]{1,2}$/,
    part: 3,
  },
  {
    letters: /^\p{Script=Arabic}/u,
    stem: 3,
    ending: /^(?:ه|ي|ا|ت|ات|ين|ون|يه)$/,
    attached: /^(?:[وف]?[بك]?ال|[وف]?لل|[وفبكل])$/,
    part: 3,
  },
  // Vowel signs, and the plurals after them
  {
    letters: /^\p{Script=Devanagari}/u,
    stem: 2,
    ending: /^[\u0900-\u0903\u093e-\u094cयओए]{1,5}$/,
    part: 3,
  },
  // Particles
  {
    letters: /^\p{Script=Hangul}/u,
    stem: 1,
    ending: /^(?:[은는이가을를의에도와과로들만]|에서|으로|까지|부터|들[은이을의])$/,
    exchanged: /^(?!)/,
    part: 2,
  },
  { letters: /^[\p{Script=Katakana}ー]/u, stem: 9, ending: /^(?!)/, part: 2 },
];

/** Chinese characters and hiragana come as pairs; a single one that is looked for is in several. */
const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}]$/u;

/**
 * 1 for the same word, less for another form (`maps` for `map`), a word that begins with it or a
 * compound that ends with it (`Roggenbrot` for `Brot`), 0 for another word. Both come from `wordsOf`.
 * Rules of thumb, without a dictionary: what they take for a form now and then is another word.
 */
export function wordLikeness(sought: string, word: string): number {
  if (sought === word) return 1;
  // A number is itself or another one.
  if (/\p{N}/u.test(sought)) return 0;
  if (ideograph.test(sought)) return word.includes(sought) ? asPart : 0;
  const script = scripts.find(({ letters }) => letters.test(sought));
  if (script === undefined || !script.letters.test(word)) return 0;
  if (isForm(sought, word, script)) return asForm;
  const { attached, part } = script;
  if (attached !== undefined) {
    if (isAttached(sought, word, script) || isAttached(word, sought, script)) return asForm;
  }
  if (sought.length < part) return 0;
  if (word.startsWith(sought)) return asPart;
  return word.endsWith(sought) && word.length - sought.length >= part - 1 ? asPart : 0;
}

const asForm = 0.7;
const asPart = 0.4;

function isForm(one: string, other: string, { stem, ending, exchanged = ending }: Script): boolean {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared += 1;
  if (shared < stem) return false;
  const [rest, otherRest] = [one.slice(shared), other.slice(shared)];
  if (rest === '' || otherRest === '') return ending.test(rest + otherRest);
  return exchanged.test(rest) && exchanged.test(otherRest);
}

/** True when the longer word is a form of the shorter one with something before it: `המפות`, `מפה`. */
function isAttached(short: string, long: string, script: Script): boolean {
  for (let length = 1; length <= 4 && long.length - length >= script.stem; length += 1) {
    if (script.attached?.test(long.slice(0, length)) !== true) continue;
    const rest = long.slice(length);
    if (rest === short || isForm(short, rest, script)) return true;
  }
  return false;
}
