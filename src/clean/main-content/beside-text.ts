/** What stands between the paragraphs of a text and is no part of it, told by its words. */
import { oneLine } from '../../text/one-line.ts';
import { type Block, headingLevel } from './measure.ts';

/**
 * Lines that many sites put into the box of their text: who took the picture, "read more", "follow
 * us on", "advertisement", how long ago. The model sees no words, and everything else about them
 * looks like a short paragraph. Only what is short is asked, and nothing that is about a subject.
 */
export function isBesideText(block: Block, isArticle: boolean): boolean {
  const { own, element, paragraphs } = block;
  // With paragraphs of its own inside, the element's text is not this paragraph's.
  if (own.length > longest || paragraphs !== 1) return false;
  if (headingLevel(block) > 0 || element.localName === 'pre') return false;
  const text = oneLine(element.textContent ?? '').slice(0, longest);
  if (labels.test(text) || (/ ago/i.test(text) && age.test(text))) return true;
  if (invitations.test(text) || isCredit(text)) return true;
  return isArticle && own.linked >= 0.95 * own.length && isShouted(text);
}

/** Characters: the longest captions. */
const longest = 320;

/** The whole line. */
const labels = new RegExp(
  `^\\W*(?:${[
    'advertise?ment|advertising|sponsored|ad|anzeige|werbung|publicidad|publicidade|publicité|pubblicità|advertentie|реклама',
    '(?:read|learn|see|show|view|load) more|(?:view|see|show) all|continue reading|read (?:the )?full (?:story|article)',
    'weiterlesen|mehr (?:lesen|erfahren|anzeigen)|lire (?:la suite|plus)|(?:en savoir|voir) plus|(?:leer|ver) más|seguir leyendo',
    '(?:leia|ver|saiba|veja) mais|(?:leggi|continua a leggere|scopri) (?:tutto|di più)|lees (?:meer|verder)|подробнее|читать (?:далее|дальше)',
    'back to [^.!?]{1,40}|zurück(?: nach oben| zur übersicht)?|nach oben|retour(?: en haut)?',
  ].join('|')})[^\\p{L}\\p{N}]*$`,
  'iu',
);

/** The same: how long ago. Asked of texts with that word only, it tries many places of each. */
const age = new RegExp(
  '^\\W*[^.!?]{0,40}\\b(?:an?|\\d+) ?(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?) ago[^\\p{L}\\p{N}]*$',
  'iu',
);

const invitations =
  /\bfollow (?:us|him|her|me|them|@\S+|\S+ on)\b.*\b(?:twitter|facebook|instagram|youtube|linkedin|telegram|tiktok|bluesky|mastodon)\b/i;

/** Who took a picture: `(Photo: …)`, `Image credit: …`, an agency that sells pictures. */
function isCredit(text: string): boolean {
  return (creditWords.test(text) && credits.test(text)) || agency.test(text.slice(-agencyLength));
}

/** One of these is in everything that the next one finds, which takes ten times as long. */
const creditWords = /photo|image|picture|foto|bild|credit|crédit|quelle|getty/i;

const credits = new RegExp(
  [
    '\\([^()]{0,20}\\b(?:photos?|images?|pictures?|fotos?|bild|imagen|imagem)(?: credits?)?(?: ?[:/|©]| (?:by|courtesy|via)\\b)',
    '\\((?:credits?|crédits?|quelle) ?:',
    '^(?:file |stock )?(?:photo(?:graph)?|image|picture|foto|bild)s?(?: courtesy| credit| by)?(?: of)? ?[:/|©]',
    '^(?:photo |image )?credits?: ?\\p{L}',
    '\\b(?:photos?|images?|fotos?|bild(?:er)?) ?©',
    '\\bgetty images\\b|\\bap photo\\b|\\bfile photo\\b',
  ].join('|'),
  'iu',
);

/** At the end of a line. */
const agency = /\(ap\)$|[/|] ?(?:getty|reuters|afp|ap|dpa)\)?[.]?$/iu;

/** Characters: the longest that is found there, and some more. */
const agencyLength = 20;

/** A line in capitals that is all link is the headline of another article. */
function isShouted(text: string): boolean {
  return text.length >= 25 && /\p{Lu}{4}/u.test(text) && text.toUpperCase() === text;
}
