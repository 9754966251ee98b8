/** Small numbers in words: `three bedrooms`. */

/** From two on: one is an article in most languages. */
const words: Readonly<Record<string, string>> = {
  en: 'two three four five six seven eight nine ten eleven twelve',
  de: 'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  fr: 'deux trois quatre cinq six sept huit neuf dix onze douze',
  es: 'dos tres cuatro cinco seis siete ocho nueve diez once doce',
  it: 'due tre quattro cinque sei sette otto nove dieci undici dodici',
  nl: 'twee drie vier vijf zes zeven acht negen tien elf twaalf',
  pt: 'dois três quatro cinco seis sete oito nove dez onze doze',
};

/** The word for the number in the page's language, folded; without a language in English. */
export function numberWords(value: number, language: string = 'en'): string[] {
  const [primary = ''] = language.toLowerCase().split(/[-_]/);
  const list = Object.hasOwn(words, primary) ? words[primary] : undefined;
  const word = list?.split(' ')[value - 2];
  return word === undefined ? [] : [word.normalize('NFKD')];
}
