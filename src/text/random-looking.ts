/** Text that no person wrote: ids and tokens. */

const uuid = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

/**
 * True for UUIDs, hexadecimal and other tokens of letters and digits in no order, and numbers of ten
 * digits and more. Words with a number (`iphone-15`, `covid19`) and slugs are none.
 */
export function looksRandom(text: string): boolean {
  if (text.length < 8 || text.length > 512) return false;
  if (/^\d+$/.test(text)) return text.length >= 10;
  if (uuid.test(text)) return true;
  if (/^[\da-f]+$/i.test(text) && text.length >= 16 && /\d/.test(text)) return true;
  if (!/^[\w+/=~.-]+$/.test(text)) return false;
  // Three words and more are a sentence, however many numbers are in it.
  if (text.split(/[-_.~]/).filter((word) => /^[a-z]{3,}$/i.test(word)).length >= 2) return false;
  const turns = text.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0;
  return turns >= 3 && turns * 5 >= text.length;
}
