/** The HTML of a report: styles, data and script in one file, which may load nothing and run nothing else. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeCharts } from './in-page/charts.ts';
import { makeElements } from './in-page/elements.ts';
import { openReport } from './in-page/open-report.ts';
import { makeOverview } from './in-page/overview.ts';
import { makePageDetails } from './in-page/page-details.ts';
import { indexRows } from './in-page/report-rows.ts';
import { makeSiteTree } from './in-page/site-tree.ts';
import { type ReportFunctions, startReport } from './in-page/start-report.ts';
import { makeUrlTable } from './in-page/url-table.ts';

/** `packed` is the data, as `packReport()` gives it. */
export function reportHtml(title: string, packed: string): string {
  // The bundle contains the text instead of the call.
  const css = readFileSync(new URL('./report.css', import.meta.url), 'utf8');
  const style = css.replace(/\s+/g, ' ');
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    // No text of the data can become markup, whatever the script does.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · pagewright report</title>
<style>${style}</style>
</head>
<body>
<main><p>The report is unpacked by a script; this browser does not run it.</p></main>
<script type="application/octet-stream" id="data">${packed}</script>
<script>${script}</script>
</body>
</html>
`;
}

const functions: ReportFunctions = {
  openReport,
  makeElements,
  indexRows,
  makeCharts,
  makeOverview,
  makeUrlTable,
  makeSiteTree,
  makePageDetails,
};

/** Each function is self-contained; `__name` is a function that some bundlers call. */
const script: string = `{const __name = (value) => value;
(${startReport.toString()})({${Object.entries(functions)
  .map(([name, run]) => `${name}: ${String(run)}`)
  .join(',\n')}});}`;

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
