// A made-up site for the benches: the same bytes on every run. A page has about 46 KB: navigation,
// an article with sections, lists, tables and code, an aside, a footer, and 40 links to other pages.
// Beside them are robots.txt with a sitemap, one small page of 2 KB, and one that a script fills with it.

const words =
  'anchor basin beacon bridge buffer canal cargo channel circuit column current delta depth ' +
  'dock drift engine estuary ferry filter flow frame gauge grain harbour index ledger lantern ' +
  'level lock marker measure mooring north offset paddle pier pilot pool quarter rail range ' +
  'reach record reed ridge river sample sensor shelf signal sluice source spill station stone ' +
  'stream tide timber tower vessel warden watch wave weir wharf window';
const vocabulary = words.split(' ');

const linksPerPage = 40;
const sections = 20;

/** The path of a page. */
export function pagePath(index) {
  return index === 0 ? '/' : `/handbook/page-${index}.html`;
}

/** One page of a site with `pages` pages. Page 0 reaches all others over at most a few links. */
export function makePage(index, pages) {
  const random = seeded(index + 1);
  const links = linkTargets(index, pages).map(
    (target) => `<a href="${pagePath(target)}">${title(target)}</a>`,
  );
  const take = (count) => links.splice(0, count);
  const navigation = take(12)
    .map((link) => `<li class="nav-item">${link}</li>`)
    .join('\n');
  const related = take(10)
    .map((link) => `<li>${link}</li>`)
    .join('\n');
  const footer = take(6).join(' | ');
  const body = Array.from({ length: sections }, (_, number) => {
    return section(number, random, take(1)[0] ?? '');
  }).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title(index)} | Harbour handbook</title>
<meta name="description" content="${sentence(random)}">
<meta property="og:title" content="${title(index)}">
<meta property="og:type" content="article">
<link rel="stylesheet" href="/style.css">
<style>.nav-item { display: inline-block; padding: 4px } .note { border-left: 3px solid #aaa }</style>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"TechArticle","headline":"${title(index)}"}</script>
</head>
<body>
<header class="site-header"><a href="/" class="logo"><img src="/logo.svg" alt="Harbour"></a>
<nav aria-label="Main"><ul>
${navigation}
</ul></nav></header>
<div class="layout">
<main id="content"><article>
<h1>${title(index)}</h1>
<p class="lead">${paragraph(random, 3)}</p>
${body}
</article></main>
<aside class="sidebar"><h2>Related pages</h2><ul>
${related}
</ul><div class="newsletter"><p>${sentence(random)}</p><form><input type="email"><button>Subscribe</button></form></div></aside>
</div>
<footer class="site-footer"><p>${footer}</p><p>Copyright Harbour office. ${sentence(random)}</p></footer>
<script>window.page = ${index};</script>
</body>
</html>
`;
}

/** Everything may be read; names the sitemap. */
export function makeRobotsTxt(origin) {
  return `User-agent: *\nAllow: /\n\nSitemap: ${origin}/sitemap.xml\n`;
}

/** All pages of the site. */
export function makeSitemap(origin, pages) {
  const urls = Array.from({ length: pages }, (_, index) => {
    return `<url><loc>${origin}${pagePath(index)}</loc></url>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('')}</urlset>
`;
}

/** Where the small page is. */
export const smallPagePath = '/small.html';

/** A page whose fetching costs more than its reading. */
export function makeSmallPage() {
  const random = seeded(0);
  const paragraphs = Array.from({ length: 6 }, () => `<p>${paragraph(random, 4)}</p>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>A small page | Harbour handbook</title></head>
<body><main><h1>A small page</h1>
${paragraphs.join('\n')}
</main></body>
</html>
`;
}

/** Where the page is that is empty until its script has fetched the small one. */
export const appPagePath = '/app.html';

/** A page that is rendered in the browser. */
export function makeAppPage() {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>An app | Harbour handbook</title></head>
<body><div id="root"></div>
<script>
fetch('${smallPagePath}').then((response) => response.text()).then((html) => {
  const page = new DOMParser().parseFromString(html, 'text/html');
  document.getElementById('root').append(...page.body.children);
});
</script></body>
</html>
`;
}

/** Forty pages: the next ones, and others spread over the site. */
function linkTargets(index, pages) {
  return Array.from({ length: linksPerPage }, (_, link) => {
    const step = link < 10 ? link + 1 : (link + 1) * 37 + index * 7;
    return (index + step) % pages;
  });
}

function section(number, random, link) {
  const id = `part-${number + 1}`;
  const parts = [
    `<h2 id="${id}">${capital(pick(random))} ${pick(random)} <a class="anchor" href="#${id}">#</a></h2>`,
    `<p>${paragraph(random, 4)} ${link === '' ? 'Look' : `See ${link}`} for <em>${pick(random)}</em> and <code>${pick(random)}_${pick(random)}</code>.</p>`,
    `<p>${paragraph(random, 3)} <strong>${sentence(random)}</strong></p>`,
  ];
  if (number % 3 === 0) parts.push(table(random));
  if (number % 3 === 1) parts.push(code(random));
  if (number % 3 === 2) parts.push(list(random));
  if (number % 4 === 0)
    parts.push(`<blockquote class="note"><p>${paragraph(random, 2)}</p></blockquote>`);
  parts.push(`<p>${paragraph(random, 5)}</p>`);
  return `<section>\n${parts.join('\n')}\n</section>`;
}

function table(random) {
  const row = (cell) =>
    `<tr>${Array.from({ length: 4 }, () => `<${cell}>${pick(random)} ${Math.floor(random() * 900)}</${cell}>`).join('')}</tr>`;
  const rows = Array.from({ length: 8 }, () => row('td')).join('\n');
  return `<table><caption>${sentence(random)}</caption><thead>${row('th')}</thead><tbody>\n${rows}\n</tbody></table>`;
}

function code(random) {
  const lines = Array.from({ length: 10 }, (_, line) => {
    return `${'  '.repeat(line % 3)}const ${pick(random)} = ${pick(random)}(${line}, '${pick(random)}') &amp;&amp; ${pick(random)};`;
  });
  return `<pre><code class="language-js">${lines.join('\n')}\n</code></pre>`;
}

function list(random) {
  const items = Array.from({ length: 6 }, (_, item) => {
    const inner =
      item === 2 ? `<ul><li>${sentence(random)}</li><li>${sentence(random)}</li></ul>` : '';
    return `<li>${sentence(random)}${inner}</li>`;
  });
  return `<ol>\n${items.join('\n')}\n</ol>`;
}

function paragraph(random, sentences) {
  return Array.from({ length: sentences }, () => sentence(random)).join(' ');
}

function sentence(random) {
  const length = 9 + Math.floor(random() * 9);
  return `${capital(Array.from({ length }, () => pick(random)).join(' '))}.`;
}

function title(index) {
  const random = seeded(index + 7_000_001);
  return `${capital(pick(random))} ${pick(random)} ${index}`;
}

function pick(random) {
  return vocabulary[Math.floor(random() * vocabulary.length)] ?? '';
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Numbers from 0 up to 1 out of a 32-bit linear congruential generator. */
function seeded(seed) {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
