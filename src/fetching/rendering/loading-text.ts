/** Words that stand in a page until its script has run. */

/** Of this length a text may still be nothing but a notice. */
const mostCharacters = 120;

const words = [
  'loading|please wait|one moment|just a (?:moment|second|sec)|hang on|initiali[sz]ing|starting(?: up)?|preparing|connecting|fetching',
  'wird geladen|lade[nt]?|bitte warten|einen moment|chargement|veuillez patienter|cargando|espere|un momento',
  'caricamento|attendere|carregando|aguarde|laster|laddar|indlæser|ladataan|ładowanie|wczytywanie|načítání|yükleniyor|lütfen bekleyin',
  'загрузка|загружается|подождите|завантаження|зачекайте',
  '読み込み中|ロード中|お待ちください|加载中|載入中|正在加载|请稍候|請稍候|로딩|불러오는 중|جار(?:ي)? التحميل',
];
const notice = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})`, 'iu');
/** "Loading docks", "Please wait to be seated" go on with more words. */
const mostWords = 6;

/** True for a text that says only that the page is not there yet: "Loading…", "Please wait, loading the shop". */
export function isLoadingText(text: string): boolean {
  const plain = text
    .replace(/&(?:#8230|hellip|nbsp);/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (plain === '' || plain.length > mostCharacters || !notice.test(plain)) return false;
  const wordCount = plain.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return wordCount <= mostWords;
}
