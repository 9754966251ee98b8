/** Guesses the encoding of text that declares none and is not UTF-8: by its language and by its letters. */
import { TextDecoder } from './text-decoder.ts';

/** Weights of hints, in letters. */
const weights = { language: 6, domain: 4, western: 2 };

const limits = {
  read: 1_000_000, // bytes
  sample: 4_000, // bytes
};

/** Facts about the text besides its bytes. */
export interface EncodingHints {
  /** The declared language tag. */
  readonly language?: string | undefined;
  /** The top-level domain. */
  readonly domain?: string | undefined;
}

/**
 * The encoding in which the bytes most resemble text of its language; `windows-1252` without other evidence.
 * A declared language outweighs a few letters, but not text in another language.
 */
export function guessEncoding(bytes: Uint8Array, hints: EncodingHints): string {
  const sample = takeSample(bytes);
  const decoded = new Map<string, string>();
  let best = { encoding: 'windows-1252', score: 0 };
  for (const language of languages) {
    const bonus = bonusFor(language, hints);
    // Damaged UTF-8 is a candidate, too.
    for (const encoding of [...language.encodings, 'utf-8']) {
      const text = decoded.get(encoding) ?? new TextDecoder(encoding).decode(sample);
      decoded.set(encoding, text);
      // Letters that have one byte elsewhere have two in UTF-8.
      const score = bonus + scoreOf(text, language, encoding === 'utf-8' ? 2 : 1);
      if (score > best.score) best = { encoding, score };
    }
  }
  return best.encoding;
}

function bonusFor(language: Language, { language: tag = '', domain = '' }: EncodingHints): number {
  const wanted = tag.toLowerCase().replaceAll('_', '-');
  const [primary = ''] = wanted.split('-');
  // zh-TW is not zh; de-AT is de.
  const known = languages.some(({ tags }) => tags.includes(wanted)) ? wanted : primary;
  const isWestern = language.encodings.includes('windows-1252');
  return (
    (language.tags.includes(known) ? weights.language : 0) +
    (language.domains.includes(domain.toLowerCase()) ? weights.domain : 0) +
    (isWestern ? weights.western : 0)
  );
}

const hopeless = -40; // score; most wrong guesses reach it within a hundred letters

/**
 * A sample of the non-ASCII bytes with their neighbours: whole multi-byte characters, whose later bytes
 * may be ASCII.
 */
function takeSample(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(limits.sample + 4);
  let length = 0;
  /** ASCII bytes since the last non-ASCII byte. */
  let plain = 3;
  const end = Math.min(bytes.length, limits.read);
  for (let at = 0; at < end && length < limits.sample; at++) {
    const byte = bytes[at] ?? 0;
    plain = byte < 0x80 ? plain + 1 : 0;
    if (plain > 2) continue;
    // After a longer run of ASCII, its last byte is a neighbour.
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

/** How much a text resembles this language: about 1 for each byte of its letters. */
function scoreOf(text: string, language: Language, weight: number): number {
  let score = 0;
  let before = '\n';
  let run = 0;
  for (const character of text) {
    if (character < '\x80') {
      if (!language.isLatin && isAsciiLetter(character) && run > 0) score -= 1;
      run = 0;
    } else {
      const value = letterValue(character, before, language);
      score += value > 0 ? value * weight : value;
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

function letterValue(character: string, before: string, language: Language): number {
  const { common, rare, script, misplaced } = language;
  if (misplaced?.test(before + character) === true) return -3;
  const lower = character.toLowerCase();
  // A character of two bytes counts as two letters.
  const size = script === undefined ? 1 : 2;
  const worth = common.has(lower) ? 1 : rare.has(lower) ? 0.6 : 0;
  if (worth > 0) {
    if (lower === character) return size * worth;
    // Capitals begin words; capitals inside of words come from a wrong guess.
    if (before !== before.toUpperCase()) return -1;
    return before === before.toLowerCase() ? worth : worth * 0.3;
  }
  if (script?.test(character) === true) return size * usualWorth(character, language);
  if (isImpossible.test(character)) return -3;
  if (isTypographic.test(character)) return isAsciiLetter(before) && character !== '’' ? -0.2 : 0.2;
  return isLetter.test(character) ? -1 * size : -1;
}

/** Character sets start with the most frequent characters; the others are worth nothing. */
function usualWorth(character: string, { usual }: Language): number {
  if (usual === undefined) return 0;
  let characters = usualCharacters.get(usual);
  if (characters === undefined) {
    const { encoding, rows, cells } = usual;
    const bytes: number[] = [];
    for (let row = rows[0]; row <= rows[1]; row++) {
      for (const [first, last] of cells) {
        for (let cell = first; cell <= last; cell++) bytes.push(row, cell);
      }
    }
    characters = new Set(new TextDecoder(encoding).decode(Uint8Array.from(bytes)));
    usualCharacters.set(usual, characters);
  }
  return characters.has(character) ? usual.worth : 0;
}

const usualCharacters = new Map<UsualRows, ReadonlySet<string>>();

const isLetter = /[\p{L}\p{M}]/u;

/** Replacement characters, controls, private use, half-width katakana. */
const isImpossible = /[\ufffd\x80-\x9f\ue000-\uf8ff\uff61-\uff9f]|\p{Co}/u;

/** Characters in texts of every language. */
const isTypographic = /[\u00a0“”„‘’‚‹›«»–—…•·©®™°€£§±×½¼²³µ¿¡´]/;

function isAsciiLetter(character: string): boolean {
  return /^[a-z]$/i.test(character);
}

// Languages with the encodings of their pages before UTF-8, and their letters.

/** One language, or several that share letters and encodings. */
interface Language {
  /** Tags of `lang` attributes for the language. */
  readonly tags: readonly string[];
  /** Top-level domains where the language is likely. */
  readonly domains: readonly string[];
  /** Encodings, first the fallback of the HTML standard for this language. */
  readonly encodings: readonly string[];
  /** Common non-ASCII letters, in lower case. */
  readonly common: ReadonlySet<string>;
  readonly rare: ReadonlySet<string>;
  /** Other characters that a text may contain. */
  readonly script?: RegExp | undefined;
  /** The frequent ones. */
  readonly usual?: UsualRows | undefined;
  /** A letter with the character before it, where the spelling forbids the pair. */
  readonly misplaced?: RegExp | undefined;
  /** True if non-ASCII letters are among ASCII letters within a word. */
  readonly isLatin: boolean;
}

/** The part of a character set that holds its frequent characters: first and last bytes. */
interface UsualRows {
  /** Of a letter, between 0 and 1. */
  readonly worth: number;
  readonly encoding: string;
  readonly rows: readonly [number, number];
  readonly cells: readonly (readonly [number, number])[];
}

const highCells = [[0xa1, 0xfe]] as const;

/** Level 1 of GB 2312, of Big5 and of JIS X 0208; the syllables of KS X 1001. */
const usualRows = {
  simplified: { worth: 0.7, encoding: 'gb18030', rows: [0xb0, 0xd7], cells: highCells },
  traditional: {
    worth: 0.7,
    encoding: 'big5',
    rows: [0xa4, 0xc6],
    cells: [[0x40, 0x7e], ...highCells],
  },
  japanese: { worth: 0.5, encoding: 'euc-jp', rows: [0xb0, 0xcf], cells: highCells },
  korean: { worth: 0.8, encoding: 'euc-kr', rows: [0xb0, 0xc8], cells: highCells },
} as const satisfies Record<string, UsualRows>;

/** Thai vowels and tone marks follow a consonant or a mark; a vowel written before its consonant has one after it. */
const misplacedThai =
  /[^\u0e01-\u0e2e\u0e30-\u0e3a\u0e47-\u0e4e][\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]|[\u0e40-\u0e44][^\u0e01-\u0e2e]|[\u0e01-\u0e4e][\u0e50-\u0e59]/;

const cyrillic = 'windows-1251 koi8-r ibm866 iso-8859-5 x-mac-cyrillic';

const central = 'windows-1250 iso-8859-2';

const baltic = 'windows-1257 iso-8859-13 iso-8859-4';

const western = 'windows-1252';

/** Hiragana, katakana and their marks. */
const kana = String.fromCodePoint(
  ...Array.from({ length: 0x30fd - 0x3041 }, (_, at) => 0x3041 + at),
);

const hanzi = /[\u4e00-\u9fff]/;

/** Order decides between languages that fit equally well. */
const languages: readonly Language[] = [
  latin('fr', 'fr', western, 'éèàêç', 'ôâîûùëïœÿæ'),
  latin('de', 'de at', western, 'äöüß', 'é'),
  latin('es gl', 'es mx ar cl pe', western, 'áéíóñú', 'ü¿¡ç'),
  latin('pt', 'pt br', western, 'ãçáéíóõê', 'âàúôü'),
  latin('it', 'it', western, 'èàùòì', 'éóî'),
  latin('sv da no nb nn fi', 'se dk no fi', western, 'äåöæø', 'éü'),
  latin('is fo', 'is fo', western, 'ðáíéóþæöúý', 'ø'),
  latin('nl ca', 'nl', western, 'ëéïèàçòí', 'üöóú·'),
  latin('pl', 'pl', 'iso-8859-2 windows-1250', 'ąęółżśćńź', ''),
  latin('cs', 'cz', central, 'íáéěšýčžřů', 'úťďňó'),
  latin('sk', 'sk', central, 'áíéčýžšúľť', 'ňôďäĺŕó'),
  latin('hu', 'hu', 'iso-8859-2 windows-1250', 'áéíóöőüúű', ''),
  latin('ro', 'ro md', central, 'ăîâşţ', ''),
  latin('hr sl bs', 'hr si ba', central, 'čžš', 'ćđ'),
  latin('tr az ku', 'tr az', 'windows-1254', 'ıişğüçö', 'âîûi̇'),
  latin('lt', 'lt', baltic, 'ėšžįųąčęū', ''),
  latin('lv', 'lv', baltic, 'āīēšūņļž', 'čģķ'),
  latin('et', 'ee', baltic, 'äõöü', 'šž'),
  latin('vi', 'vn', 'windows-1258', 'ăâđêôơư\u0300\u0301\u0303\u0309\u0323', 'àáãéèíóòúùý'),
  otherLanguages(
    'ru bg kk ky tg tt ba sah',
    'ru su by kz bg xn--p1ai',
    cyrillic,
    'оеаинтсрвлкмдпу',
    'яыьгзбчйхжшюцщэфъё№',
  ),
  otherLanguages(
    'uk',
    'ua',
    'windows-1251 koi8-u ibm866 iso-8859-5',
    'оаинвітерсклудмпязь',
    'бгчйхжїюєшцщфґ№',
  ),
  otherLanguages(
    'be',
    'by',
    'windows-1251 ibm866 iso-8859-5',
    'аоеіынрстлдкяпў',
    'увзмьгбчйхжшюцэфё',
  ),
  otherLanguages(
    'sr mk',
    'rs mk',
    'windows-1251 iso-8859-5',
    'аоиенрстјувдкмлпз',
    'бгњљчжшхцфџћђѓќѕ',
  ),
  otherLanguages(
    'el',
    'gr cy',
    'iso-8859-7 windows-1253',
    'αοιετσνηυρπκμλ',
    'ςάίόέήύώθγδφχβξψζωϊϋΐΰ',
    { misplaced: /ς[α-ω]/ },
  ),
  otherLanguages('he yi', 'il', 'windows-1255 iso-8859-8', 'יוהלאמרתבנשםדחקעפכסגטזצןךףץ', '׳״', {
    // Final forms end words.
    misplaced: /[ךםןףץ][א-ת]/,
  }),
  otherLanguages(
    'ar',
    'sa eg ae ma dz iq sy jo',
    'windows-1256 iso-8859-6',
    'الينمروتبةعدسفهكق',
    'حجشصطخضذءثئظزغأإآىؤ،؟؛ًٌٍَُِّْـ',
  ),
  otherLanguages('fa ur', 'ir pk', 'windows-1256', 'اینردمتهوبسشکلزعپگ', 'فقخحجچصطءآضغذئثظژأؤ،؟؛ى'),
  otherLanguages(
    'th',
    'th',
    'windows-874',
    'านรอกเงมยลวดทสต่้ัี',
    'ะปบคหแจพชขใไโผซถ็ิืุู์ำๆธณภศษญฐฎฏฑฒฉฝฟฆฬฮ',
    { misplaced: misplacedThai },
  ),
  otherLanguages('ja', 'jp', 'shift_jis euc-jp', kana + '、。・「」（）！？', '', {
    script: hanzi,
    usual: usualRows.japanese,
  }),
  otherLanguages(
    'zh zh-hans zh-cn zh-sg zh-my',
    'cn',
    'gb18030',
    '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运，。、：；（）《》！？',
    '',
    { script: hanzi, usual: usualRows.simplified },
  ),
  otherLanguages(
    'zh-hant zh-tw zh-hk zh-mo',
    'tw hk mo',
    'big5',
    '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運，。、：；（）「」！？',
    '',
    { script: hanzi, usual: usualRows.traditional },
  ),
  otherLanguages(
    'ko',
    'kr',
    'euc-kr',
    '이다는을를의에가한고도로서지은사하기어나리인시아자들정스수대일있그게해라만보부것안으원장제주전구상성여음동되와과',
    '',
    { script: /[\uac00-\ud7a3]/, usual: usualRows.korean },
  ),
];

function latin(
  tags: string,
  domains: string,
  encodings: string,
  common: string,
  rare: string,
): Language {
  return languageEntry(tags, domains, encodings, common, rare, { isLatin: true });
}

function otherLanguages(
  tags: string,
  domains: string,
  encodings: string,
  common: string,
  rare: string,
  more: Pick<Language, 'script' | 'usual' | 'misplaced'> = {},
): Language {
  return languageEntry(tags, domains, encodings, common, rare, { ...more, isLatin: false });
}

function languageEntry(
  tags: string,
  domains: string,
  encodings: string,
  common: string,
  rare: string,
  more: Pick<Language, 'script' | 'usual' | 'misplaced' | 'isLatin'>,
): Language {
  return {
    tags: tags.split(' '),
    domains: domains.split(' '),
    encodings: encodings.split(' '),
    common: new Set(common),
    rare: new Set(rare),
    ...more,
  };
}
