/** Finds end tags of script elements inside script text, which do not end the script itself. */

/**
 * Positions of `</script` inside of scripts that continue after it: after `<!--`, a script may contain a
 * whole script element (HTML Standard, 13.2.5.27: "script data double escaped"). A script without another end
 * tag is left as it is, since it would swallow the rest of the page.
 */
export function nestedScriptEnds(source: string): number[] {
  if (!hasScriptInComment(source)) return [];
  const ends: number[] = [];
  let found: number[] = [];
  let state: 'page' | 'comment' | 'script' | 'escaped' | 'nested' = 'page';
  for (const { 0: mark, index } of source.matchAll(marks)) {
    if (mark === '<!--') {
      if (state === 'page') state = 'comment';
      else if (state === 'script') state = 'escaped';
    } else if (mark === '-->') {
      if (state === 'comment') state = 'page';
      else if (state !== 'page') state = 'script';
    } else if (mark.startsWith('</')) {
      if (state === 'nested') {
        found.push(index);
        state = 'escaped';
      } else if (state !== 'comment') {
        if (state !== 'page') ends.push(...found);
        found = [];
        state = 'page';
      }
    } else if (/^<s/i.test(mark)) {
      if (state === 'page') state = 'script';
      else if (state === 'escaped') state = 'nested';
    }
  }
  return ends;
}

/** Rare, so it is tested first: finding strings is several times as fast as the pattern below. */
function hasScriptInComment(source: string): boolean {
  for (let at = source.indexOf('<!--'); at >= 0;) {
    const end = source.indexOf('-->', at + 2);
    if (/<script/i.test(source.slice(at, end === -1 ? undefined : end))) return true;
    at = end === -1 ? -1 : source.indexOf('<!--', end);
  }
  return false;
}

const marks = /<!--(?:-?>)?|-->|<\/?script(?=[\s/>])/gi;
