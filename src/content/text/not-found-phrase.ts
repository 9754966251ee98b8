/** Headings of "page not found" messages, in the languages of the web. */

const noun =
  '(?:page|file|site|article|product|content|document|url|resource|post|item|entry|listing|profile|event)';
const phrases = [
  `(?:http )?(?:error |erreur |fehler |fout |errore |feil |błąd |chyba |hata |lỗi |ошибка |помилка |エラー ?|错误 ?|오류 ?)?404(?: error| fehler)?`,
  `(?:${noun} |the ${noun} |that ${noun} |this ${noun} )?(?:(?:was|is|could|can) ?not|wasn't|isn't|couldn't|can't|cannot) (?:be )?found`,
  `(?:${noun} )?not found|nothing (?:was )?found|(?:no such|missing) ${noun}|${noun} (?:is )?(?:missing|unavailable)`,
  `${noun} (?:you (?:requested|are looking for|were looking for) )?(?:does not|doesn't|no longer) exists?|${noun} (?:is )?(?:no longer|not) available`,
  `(?:seite|artikel|dokument|inhalt|datei|produkt)(?: wurde| konnte)?(?: leider)? nicht (?:mehr )?(?:gefunden|verfügbar|vorhanden)(?: werden)?|seite existiert nicht(?: mehr)?|nicht gefunden`,
  `(?:page|article|produit) (?:introuvable|non trouvée?|inexistante?)|(?:page|article) n'(?:existe|est) (?:pas|plus)(?: disponible| trouvée?)?`,
  `(?:la )?página no (?:encontrada|existe|disponible)|no (?:se )?(?:ha )?(?:encontr(?:ó|ada|ado)|existe)(?: la página)?`,
  `(?:a )?página não (?:foi )?(?:encontrada|existe|disponível)|não encontrad[ao]`,
  `(?:la )?pagina (?:non (?:è stata )?(?:trovata|esiste|disponibile)|inesistente)`,
  `(?:de )?pagina (?:is )?niet (?:gevonden|beschikbaar)|(?:de )?pagina bestaat niet`,
  `(?:sidan|siden|sida) (?:hittades inte|kunde inte hittas|finns inte|(?:blev |ble )?ikke (?:fundet|funnet)|(?:findes|finnes) ikke|(?:kunne )?ikke findes)`,
  `(?:sivua|sivu) ei (?:löydy|löytynyt)`,
  `(?:strony )?nie (?:znaleziono|odnaleziono)(?: strony)?|strona nie (?:istnieje|została znaleziona)`,
  `stránka (?:nenalezena|nebyla nalezena|neexistuje|nenájdená|nebola nájdená)|stran(?:a|ica) (?:ni bila najdena|nije pronađena)`,
  `(?:az |a )?(?:keresett )?oldal nem található|pagina nu (?:a fost găsită|există)`,
  `(?:страница |сторінка |сторінку )?не (?:найдена?|существует|знайдена?|знайдено|існує|е намерена)`,
  `(?:aradığınız )?sayfa bulunamadı|η σελίδα δεν βρέθηκε|η σελίδα δεν υπάρχει`,
  `(?:お探しの)?(?:指定された)?(?:ページ|記事)[がはを]?(?:見つかりません(?:でした)?|存在しません|ありません)`,
  `(?:您访问的|您要找的)?(?:页面|頁面|网页|網頁)(?:未找到|不存在|找不到)|(?:未找到|找不到)(?:该|該|此)?(?:页面|頁面|网页|網頁)`,
  `(?:요청하신 )?페이지(?:를|가)? ?(?:찾을 수 없(?:습니다|음)?|존재하지 않(?:습니다|음)?)`,
  `(?:عذرا )?(?:الصفحة )?غير موجودة|لم يتم العثور على الصفحة|(?:הדף|העמוד) לא נמצא|صفحه (?:مورد نظر )?(?:یافت|پیدا) نشد`,
  `(?:पेज|पृष्ठ) नहीं मिला|không tìm thấy(?: trang)?|trang không tồn tại|halaman tidak ditemukan|ไม่พบ(?:หน้า(?:ที่.{0,20})?)?`,
];
const phrase = new RegExp(`(?<![\\p{L}\\p{N}])(?:${phrases.join('|')})(?![\\p{L}\\p{N}])`, 'gu');

const mostCharacters = 160; // characters of a heading; a longer one has other content

/**
 * The "page not found" phrase of a title or heading, or undefined. The phrase has to be most of the
 * heading, or of one part between bars and dashes: "Fix 404 errors" is about such pages.
 */
export function notFoundPhrase(heading: string): string | undefined {
  const text = heading.normalize('NFC').toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ');
  if (text.length > mostCharacters || text.search(phrase) < 0) return undefined;
  for (const part of text.split(/\s[-–—|·•:»/]+\s|[|:!.…,»。！]+/u)) {
    const phrases = [...part.matchAll(phrase)].map(([match]) => match).join(' ');
    if (lettersOf(phrases) * 2 > lettersOf(part)) return phrases.trim();
  }
  return undefined;
}

function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
