/** Reads the names of authors from bylines, in the words of 20 languages. */

/** Words that mark the following name as the author's, anywhere in a short line. */
const strongWords = [
  'written by|posted by|published by|authored by|words by|story by|text by|article by|blog by|post by|created by|submitted by|contributed by|authors?(?: name)?:|by:',
  'geschrieben von|verfasst von|veröffentlicht von|erstellt von|ein (?:beitrag|artikel|gastbeitrag|kommentar) von|autor(?:in|en)?:|verfasser(?:in)?:|redaktion:|text:',
  '(?:écrit|rédigé|publié|posté|proposé) par|auteure?s?\\s?:|texte\\s?:',
  '(?:escrito|publicado|redactado|texto|creado) por|autor(?:a|es)?:|autora?\\s?:',
  '(?:scritto|pubblicato|redatto) da|a cura di|autor[ei]:',
  '(?:geschreven|geplaatst|gepubliceerd) door|auteurs?:|tekst:',
  '(?:skriven|publicerad|postad) av|skrevet a[fv]|(?:publisert|publiceret|lagt ud) af|forfatter(?:e)?:|författare:',
  'kirjoittanut|kirjoittajat?:|teksti:',
  '(?:napisan[ey]|opublikowan[ey]|dodan[ey]) przez|autor(?:ka|zy)?:|tekst:',
  'napsala?|szerző:|írta:?|scris de|publicat de|συντάκτης:|συγγραφέας:|γράφει (?:ο|η)|γράφουν οι',
  'автор(?:ы|и)?:|текст:|yazar:|yazan:|ditulis oleh|penulis:|tác giả:|बाय|लेखक:|द्वारा:?',
  'بقلم\\s?:?|كتبه?\\s?:?|الكاتب\\s?:|تأليف\\s?:?|מאת\\s?:?|נכתב על ידי',
].join('|');

/** Short words that do so only before a name at the start of a line or after a date. */
const weakWords = 'by|von|par|por|door|przez|di|av|af|oleh';

const beforeName = new RegExp(
  `(?:^|[\\s|•·,:–—/-])(?:(?<strong>${strongWords})|(?<weak>${weakWords})(?=\\s+["“]?\\p{Lu}|:))\\s*:?\\s*`,
  'iu',
);

/** Chinese, Japanese and Korean: a label with a colon, or a title after the name. */
const cjkLabel =
  /(?:^|[\s|｜\d【[(（])(?:作\s*者|作家|撰\s*文|原\s*创|文字|记者|記者|执笔|執筆|著者|筆者|投稿者|發表|发帖人|楼主|글쓴이|작성자|저자|글)\s*[:：=＝/／]\s*/u;
const cjkRole =
  /(?:^|[\s（(])(?:本[报刊网]|特约|实习)?(?:记者|记者|实习生|通讯员)\s*[:：]?\s*(?=[\p{Script=Han}·]{2,4}(?:\s|$|[|）)]))/u;
/** The same as the whole text, in any of the three. */
const cjkRoleAfter =
  /^(?:本[报刊网]|特约)?([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー・ ]{2,12}?)\s?(?:기자|记者|記者|氏|さん)$/u;
const cjkSuffix = /^(?:본지\s)?([가-힣]{2,4})\s?기자/u;

/** Work by people other than the author. */
const otherWork =
  /(?:photo(?:graph)?(?:s|ed|graphy)?|images?|pictures?|illustrat(?:ed|ions?)|reviewed|checked|tested|edited|curated|theme|sort(?:ed)?|filter(?:ed)?|shop|group(?:ed)?|search|browse|order(?:ed)?|certified|rated|recommended|cc|powered|sponsored|presented|supported|produced|translated|updated|brought to you|designed|hosted|filmed|video|modified|approved|verified|owned|foto|fotos|bild|bilder|übersetzt|photographie|traduit|traducido)\s*$/iu;

/** True for a text that begins or ends with the work of others: "Fact-checked by". */
export function isOtherWork(text: string): boolean {
  const by = /\s(?:by|von|par|por|door):?(?:\s|$)/iu.exec(text.slice(0, 80));
  return by !== null && otherWork.test(text.slice(0, by.index));
}

/** False for a text in which `namesInByline` finds nothing. */
export function hasAuthorLabel(text: string): boolean {
  return [beforeName, cjkLabel, cjkRole, cjkSuffix].some((pattern) => pattern.test(text));
}

/**
 * The names in a short line with an author label: "By Jane Doe and John Roe | 5 min read" →
 * ["Jane Doe", "John Roe"]. Empty for other lines.
 */
export function namesInByline(line: string, language?: string): string[] {
  if (line.length > 200) return [];
  const cjk = cjkLabel.exec(line) ?? (line.length < 60 ? cjkRole.exec(line) : null);
  if (cjk !== null) {
    const isJapanese = /[著筆執]/u.test(cjk[0]);
    const names = line.slice(cjk.index + cjk[0].length);
    return plausibleNames(names, true, isJapanese ? 'ja' : language);
  }
  const reporter = cjkSuffix.exec(line);
  if (reporter?.[1] !== undefined) return [reporter[1]];
  const match = beforeName.exec(line);
  if (match === null) return [];
  const before = line.slice(0, match.index);
  if (otherWork.test(before)) return [];
  // "inspired by Jane Doe" is prose; "12 March 2024 by Jane Doe" is a byline.
  if (match.groups?.['strong'] === undefined && /\p{L}{2}[\s,]*$/u.test(before)) {
    if (!/\d/.test(before) && before.length > 0) return [];
  }
  const rest = line.slice(match.index + match[0].length);
  const names = plausibleNames(rest, false);
  // "was written by JavaScript in the browser" is a sentence: there, a person has a first name, too.
  const isSentence =
    names.length === 1 && /^\S+ (?:in|on|at|for|from|with) \p{Ll}/u.test(rest.trim());
  return isSentence ? [] : names;
}

/** The names in the text of an element whose markup names it as the author's. */
export function namesInElement(text: string, language?: string): string[] {
  if (text.length > 200) return [];
  const labelled = namesInByline(text, language);
  if (labelled.length > 0) return labelled;
  return plausibleNames(text.replace(/^[\s|•·–—-]+/u, ''), true, language);
}

/** `By Jane Doe` → `Jane Doe`; a text without such a label at its start, or a bare label, unchanged. */
export function withoutAuthorLabel(text: string): string {
  const reporter = cjkRoleAfter.exec(text)?.[1];
  if (reporter !== undefined) return reporter;
  for (const pattern of [cjkLabel, cjkRole, beforeName]) {
    const match = pattern.exec(text);
    if (match?.index !== 0) continue;
    const rest = text.slice(match[0].length).trim();
    const words = rest.split(' ').length;
    // "Di Stefano" is a name, "Di Luca Bianchi" a byline.
    const isLabel = match.groups?.['weak'] === undefined || words > 1 || /^by\b/i.test(text);
    if (rest !== '' && isLabel) return rest;
  }
  return text;
}

/** True for a role instead of a name: "Senior Reporter". */
export function isRole(text: string): boolean {
  return text.length < 80 && role.test(text);
}

const role =
  /(?:^|[\s-])(?:reporters?|correspondents?|editors?|writers?|journalists?|contributors?|columnists?|producers?|redaktion|redakteur(?:in)?|redaktør|redaktör|redacción|redazione|rédaction|rédact(?:eur|rice)|journaliste|redactora?|periodista|giornalista|redattore|редакция|редактор|корреспондент|журналист)$|^(?:ph\.?d|m\.?d|esq|[js]r)\.?$|^(?:记者|記者|编辑|編輯|編集部|編集者|기자|편집자|小编|责任编辑)$/iu;

/** True for a text that is the name of a person, with two to four words. */
export function isPersonName(text: string): boolean {
  const isShaped = /^\p{Lu}[\p{L}.'’-]*(?: \p{L}[\p{L}.'’-]*){1,3}$/u.test(text);
  return isShaped && !/^(?:The|Die|La|Le|El|Il) /.test(text) && isPlausibleName(text, true);
}

const joiners =
  /\s*(?:[,，;；、&]|\s(?:and|und|et|y|e|og|och|en|i|и|та|ve|και|ja|és|și|dan|và|with)\s)\s*/iu;

/** Characters and words after which a byline is about something else. */
const nameEnd =
  /[|｜•·–—/／>»<()（）[\]【】{}@#:："“”*]|(?<=\p{L}{3})\.\s|\s-\s|\d|\s(?:on|in|at|for|is|was|has|from|about|updated|published|posted|am|le|il|el|em|den|op|dne|vom|для|в)\s/iu;

/** Two signs that separate names in Chinese, where a blank does too. */
const cjkName = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー・]+$/u;

function plausibleNames(text: string, isNamed: boolean, language?: string): string[] {
  if (/https?:/i.test(text)) return [];
  // ByDaryl Austin; Richard (R.J.) Eskow
  const whole = text
    .replace(/[^\s,;()]+@[^\s,;()]+/gu, ' ')
    .replace(/^By(?=\p{Lu}\p{Ll})/u, '')
    .replace(/ \([\p{L}. ]{1,12}\) (?=\p{Lu})/u, ' ');
  const end = nameEnd.exec(whole);
  const written = (end === null ? whole : whole.slice(0, end.index))
    .replace(/[\s,]+(?:and|und|et|y|e|og|och|en|i|и|&)?\s*$/iu, '')
    .replace(/[\s,]+(?:mon|tues|wednes|thurs|fri|satur|sun)day$/iu, '')
    .trim();
  const names: string[] = [];
  for (const part of written.split(joiners).slice(0, 10)) {
    const words = part.trim().split(/\s+/);
    if (cjkName.test(words[0] ?? '')) {
      const people = cjkPeople(words, language).filter((name) => isPlausibleName(name, isNamed));
      if (people.length === 0) break;
      names.push(...people);
      continue;
    }
    const name = words.join(' ').replace(/[.,;]$/, '');
    if (!isPlausibleName(name, isNamed) || isBesideName(name, names[0])) break;
    names.push(name);
  }
  return [...new Set(names)];
}

/**
 * Chinese separates people by a blank, as in 刘国栋 周炜 王燕平; Japanese and Korean, and Chinese before
 * a single character, the family from the given name, as in 山田 太郎.
 */
function cjkPeople(words: readonly string[], language = ''): string[] {
  const end = words.findIndex(
    (word, index) => !cjkName.test(word) || isRole(word) || (index > 0 && word.length > 4),
  );
  const parts = end === -1 ? [...words] : words.slice(0, end);
  const isShort = parts.length % 2 === 0 && parts.every((part) => part.length <= 3);
  const isApart =
    /^(?:ja|ko)\b/i.test(language) ||
    parts.some(
      (part) => part.length === 1 || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(part),
    );
  if (!isShort || !isApart) return parts;
  return parts.flatMap((part, index) =>
    index % 2 === 0 ? [`${part} ${parts[index + 1] ?? ''}`] : [],
  );
}

/** True for a degree, role or topic after a name: "Jane Doe, PhD", "Jane Doe, Health". */
function isBesideName(part: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const words = part.split(' ');
  if (degree.test(part) || (words.length === 1 && name.includes(' '))) return true;
  return words.some((word) => topics.test(word) && !/^(?:of|the|and)$/.test(word));
}

/** Letters after a name: MS, RDN, CFP®. */
const degree = /^[\p{Lu}.®]{2,6}$|^(?:Ph\.?D|[JS]r)\.?$/u;

const particles =
  /^(?:de|del|della|di|da|dos|das|do|du|des|la|le|el|al|van|von|vom|der|den|ter|ten|zu|zur|af|av|bin|ibn|ben|abu|y|e|of|the|d[’'].*|mc.*|o[’'].*)$/u;

/** Words that occur beside a name but never in one: page features, roles, and accounts without a person. */
const noName =
  /(?:^|\s)(?:admin|administrator|webmaster|anonymous|unknown|undefined|null|authors?|autor|auteur|autore|byline|read|reading|mins?|minutes?|share|follow|following|subscribe|login|comments?|reply|views?|posts?|articles?|more|about|menu|search|contact|click|updated|published|posted|edited|reviewed|written|checked|tested|yesterday|ago|hours?|days?|email|print|save|listen|photo|image|images|copyright|date|datum|categor(?:y|ies)|tags?|newsletter|download|editor|editors|writer|reporter|correspondent|journalist|contributor|columnist|ceo|cto|founder|co-founder|director|manager|president|professor|redakteur(?:in)?|rédact(?:eur|rice)|journaliste|redactora?|giornalista|bio|biography|biographie|profile|verified|facebook|youtube|pinterest|tiktok|telegram|reddit|twitter|linkedin|instagram|whatsapp|what|why|how|you|your|our|this|that|we|using|which|its|not|are|process|try|request|sign|thread|threads|medium|bluesky|mastodon|scholar|contributors|guidelines|policy|standards|explore|join|anon|tools|options|demo|now|buy|get|start|book|shop)(?=\s|$)/iu;

/** Words that are not a name on their own. */
const topics =
  /^(?:by|von|par|por|door|root|guest|user|staff|home|all|last|today|here|free|default|senior|member|getty|redaktion|size|weight|price|colou?r|brand|new|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|sections?|tech|technology|industry|business|marketing|news|blog|press|release|guides?|tips|tutorials?|reviews?|opinion|features?|case|study|studies|insights?|resources?|events?|company|products?|culture|politics|sports?|health|life|lifestyle|style|world|travel|food|entertainment|science|videos?|podcasts?|education|engineering|design|security|research|reports?|learning|development|software|data|digital|online|social|media|web|money|finance|law|art|arts|music|local|national|general|uncategorized|&|and|of|the|for|in)$/iu;

/** True for one to five words in the shape of a name; one in lower case only where the page names it. */
function isPlausibleName(name: string, isNamed: boolean): boolean {
  if (name.length < 2 || name.length > 60 || !/\p{L}/u.test(name)) return false;
  if (/https?:|author|^CC\b|www\.|\.(?:com|org|net|io|de)\b|[=_%$€£!?…+~^]/iu.test(name))
    return false;
  if (cjkName.test(name.replace(' ', ''))) return name.length <= 12 && !cjkNoName.test(name);
  const words = name.split(' ');
  if (noName.test(name) || words.every((word) => topics.test(word))) return false;
  if (words.length > 6 || words.filter((word) => !particles.test(word)).length > 5) return false;
  const isCased = /[\p{Lu}\p{Ll}]/u.test(name);
  if (!isCased) return !/[，。？！；、：]/u.test(name);
  const isCapital = (word: string): boolean => /^[^\p{L}]*[\p{Lu}\p{Lo}]/u.test(word);
  if (words.length === 1 && name.length < 3) return false;
  if (words.length === 1) return isCapital(name) || (isNamed && /^[\p{L}\p{N}.-]+$/u.test(name));
  return words.some(isCapital) && words.every((word) => isCapital(word) || particles.test(word));
}

const cjkNoName =
  /^(?:佚名|未知|匿名|管理员|管理者|编辑|編集部|編集|小编|本站|网友|作者|记者|来源|责编|责任编辑|转载|分享|关注|评论|编辑部|기자|관리자|楼主|发表|未填|热门|原创|首页|更多|个人)$/u;
