/**
 * Normalizes labels to a plain spelling, whatever symbols, invisible characters and look-alikes a page puts
 * into them.
 */

/** Letters that look like Latin ones, each followed by the Latin letter. */
const alikes = new Map(
  (
    'аa вb сc ԁd еe һh іi їi јj кk ӏl мm нh оo пn рp ԛq гr ѕs тt уy хx ѵv ԝw ѡw зz ьb ' +
    'αa βb εe ηn ιi κk νv οo ρp τt υu χx ωw γy ' +
    'ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ' +
    'łl ıi øo đd ɑa ɡg ƅb ɩi'
  )
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

const alike = new RegExp(`[${[...alikes.keys()].join('')}]`, 'gu');

/**
 * The spellings under which a label is judged, the plain one first: lower case, Latin letters without accents,
 * `;` for punctuation. A word of look-alikes is also given in Latin letters.
 */
export function plainLabels(label: string): readonly string[] {
  const plain = plainLabel(label);
  const words = plain.split(' ');
  const latin = words.map((word) => word.replace(alike, (one) => alikes.get(one) ?? one));
  const isLatin = (word: string | undefined): boolean => /^[a-z0-9';%.]+$/.test(word ?? '');
  const isMixed = (word: string): boolean => /[a-z]/.test(word);
  const isAll = latin.every(isLatin);
  const spelled = words
    .map((word, index) => (isLatin(latin[index]) && (isAll || isMixed(word)) ? latin[index] : word))
    .join(' ');
  return spelled === plain ? [plain] : [plain, spelled];
}

function plainLabel(label: string): string {
  return (
    label
      .normalize('NFKC')
      // Also Hangul fillers and the Braille blank, which are invisible letters and symbols.
      .replace(
        /[\p{Cf}\p{Cc}\p{Cn}\p{Co}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\uFE00-\uFE0F]/gu,
        (sign) => (/\s/.test(sign) ? ' ' : ''),
      )
      .replace(/\u2800/g, ' ')
      .toLowerCase()
      .normalize('NFD')
      .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
      .normalize('NFC')
      .replace(/ß/g, 'ss')
      .replace(/[łıøđ]/g, (letter) => alikes.get(letter) ?? letter)
      .replace(/æ/g, 'ae')
      .replace(/ё/g, 'е')
      .replace(/ς/g, 'σ')
      .replace(/[’`´ʼ‘]/g, "'")
      .replace(/(\p{N})[.,](?=\p{N})/gu, '$1\u0000')
      .replace(/&/g, ' and ')
      .replace(/[-‐‑‒_/"“”„«»]|[\p{So}\p{Sk}]/gu, ' ')
      .replace(/[^\p{L}\p{M}\p{N}\p{Sc}'%\u0000\s]+/gu, ' ; ')
      .replace(/\u0000/g, '.')
      // "B u y" is one word.
      .replace(
        /(?<![\p{L}\p{N}'])(?:\p{Script=Latin}[ ;]{1,3}){2,}\p{Script=Latin}(?![\p{L}\p{N}])/gu,
        (word) => word.replace(/[ ;]/g, ''),
      )
      .replace(/\s+/g, ' ')
      .replace(/(?:; )+/g, '; ')
      .replace(/^[ ;]+|[ ;]+$/g, '')
  );
}
