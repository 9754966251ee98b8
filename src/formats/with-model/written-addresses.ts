/** Addresses as they stand in a text: of the web and of e-mail. */

/** The addresses of a text, and what it has beside them. */
export interface AddressText {
  readonly addresses: readonly string[];
  readonly rest: string;
}

const words = /[^\s<>()[\]{}"'`|。、「」“”«»]+/g;

/** What has `//` or `@` inside, or begins with `www.`. Linear in the length of the text. */
export function readAddresses(text: string): AddressText {
  const addresses: string[] = [];
  const rest = text.replace(words, (word) => {
    const start = startOf(word);
    if (start < 0) return word;
    addresses.push(withoutEnd(word.slice(start)));
    return `${word.slice(0, start)} `;
  });
  return { addresses, rest };
}

/** The forms in which it may be told again: whole, without its scheme, as a host. */
export function formsOf(address: string): string[] {
  const whole = comparable(address);
  const bare = whole.replace(/^(?:[a-z][a-z\d+.-]{0,19}:)?\/\//, '');
  return [whole, bare === whole ? bare : `//${bare}`, bare];
}

/** Case makes no difference in a host, nor does a slash at the end. */
export function comparable(address: string): string {
  const [host = ''] = /^(?:[^/]{0,21}\/\/)?[^/]*/.exec(address) ?? [];
  return (host.toLowerCase() + address.slice(host.length)).replace(/\/$/, '');
}

function startOf(word: string): number {
  const web = /(?:[a-z][a-z\d+.-]{0,19}:)?\/\/[^/]|(?<![\p{L}\p{N}])www\../iu.exec(word);
  if (web !== null) return web.index;
  if (!/[^@]@[^@]/.test(word)) return -1;
  return /^(?:[.,;:!?*_]{0,10}mailto:|[.,;:!?*]{1,10})?/i.exec(word)?.[0].length ?? 0;
}

/** The marks of a sentence are none of the address. */
function withoutEnd(address: string): string {
  let end = address.length;
  while (end > 0 && '.,;:!?*'.includes(address[end - 1] ?? ' ')) end -= 1;
  return address.slice(0, end);
}
