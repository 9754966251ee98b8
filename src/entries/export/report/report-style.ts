/** The styles of a report. */

/** On one line. */
const css = (style: TemplateStringsArray): string => style.join('').replace(/\s+/g, ' ');

export const reportStyle: string = css`
  :root {
    color-scheme: light dark;
    --paper: light-dark(#f6f7f9, #101418);
    --card: light-dark(#ffffff, #181d23);
    --raised: light-dark(#eef1f4, #222932);
    --line: light-dark(#dde2e8, #2d3640);
    --text: light-dark(#17202a, #e4e9ef);
    --soft: light-dark(#55616e, #9eabb9);
    --accent: light-dark(#0b62c4, #7db8ff);
    --page: light-dark(#2f7d5b, #5cc596);
    --failed: light-dark(#c02f2f, #ff8a80);
    --skipped: light-dark(#8a95a1, #6d7a88);
    --warned: light-dark(#8a5a00, #f0b849);
    --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace;
    font:
      15px/1.5 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Liberation Sans',
      sans-serif;
    font-variant-numeric: tabular-nums;
  }
  :root[data-theme='light'] {
    color-scheme: light;
  }
  :root[data-theme='dark'] {
    color-scheme: dark;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  body {
    margin: 0;
    background: var(--paper);
    color: var(--text);
  }
  main,
  .head {
    max-width: 110rem;
    margin: 0 auto;
    padding: 0 1.5rem;
  }
  h1 {
    margin: 0;
    font-size: 1.5rem;
    font-weight: 650;
    letter-spacing: -0.01em;
    overflow-wrap: anywhere;
  }
  h2 {
    margin: 0 0 0.75rem;
    font-size: 0.95rem;
    font-weight: 600;
  }
  button,
  input,
  select {
    font: inherit;
    color: inherit;
  }
  button {
    cursor: pointer;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  a {
    color: var(--accent);
    overflow-wrap: anywhere;
  }
  .hint,
  footer {
    color: var(--soft);
    font-size: 0.85rem;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
    padding-block: 1.75rem 1.25rem;
  }
  .state,
  .badge {
    display: inline-block;
    border-radius: 999px;
    padding: 0.1rem 0.6rem;
    font-size: 0.8rem;
    font-weight: 600;
    color: var(--soft);
    background: var(--raised);
  }
  .state.completed {
    color: var(--page);
    background: color-mix(in srgb, var(--page) 12%, var(--card));
  }
  .state.failed,
  .state.cancelled {
    color: var(--failed);
    background: color-mix(in srgb, var(--failed) 12%, var(--card));
  }
  .when {
    color: var(--soft);
    font-size: 0.9rem;
    margin-right: auto;
  }
  .head button,
  .filters > button,
  .pins button,
  .details button,
  .show,
  .more {
    border: 1px solid var(--line);
    border-radius: 6px;
    padding: 0.3rem 0.7rem;
    background: var(--card);
    font-size: 0.85rem;
  }
  .head button:hover,
  .filters > button:hover,
  .pins button:hover,
  .details button:hover,
  .show:hover,
  .more:hover {
    background: var(--raised);
  }

  .tiles {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
    gap: 1px;
    margin: 0 0 1rem;
    border: 1px solid var(--line);
    border-radius: 10px;
    background: var(--card);
    overflow: hidden;
  }
  .tile {
    padding: 0.85rem 1rem;
    outline: 1px solid var(--line);
  }
  .tile dt {
    color: var(--soft);
    font-size: 0.85rem;
  }
  .tile dd {
    margin: 0;
    font-size: 1.25rem;
    font-weight: 600;
    line-height: 1.3;
    white-space: nowrap;
  }
  .tile .hint {
    font-size: 0.8rem;
    font-weight: 400;
  }
  .tile.page dd:not(.hint) {
    color: var(--page);
  }
  .tile.failed dd:not(.hint) {
    color: var(--failed);
  }
  .notice {
    margin: 0 0 1rem;
    border: 1px solid var(--line);
    border-left: 4px solid var(--skipped);
    border-radius: 6px;
    padding: 0.6rem 1rem;
    background: var(--card);
    overflow-wrap: anywhere;
  }
  .notice.failed {
    border-left-color: var(--failed);
  }
  .notice.warned {
    border-left-color: var(--warned);
  }
  .notice.failed strong {
    color: var(--failed);
  }
  .notice.warned strong {
    color: var(--warned);
  }

  .cards {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(25rem, 100%), 1fr));
    gap: 1rem;
  }
  .card {
    min-width: 0;
    border: 1px solid var(--line);
    border-radius: 10px;
    padding: 1rem;
    background: var(--card);
  }
  .chart {
    position: relative;
  }
  .chart svg {
    display: block;
    width: 100%;
    height: 8rem;
    border-bottom: 1px solid var(--line);
  }
  .chart .most {
    position: absolute;
    right: 0;
    top: -1.9rem;
    color: var(--soft);
    font-size: 0.8rem;
  }
  .chart .most::before {
    content: 'highest: ';
  }
  .ticks {
    display: flex;
    justify-content: space-between;
    color: var(--soft);
    font-size: 0.75rem;
    padding-top: 0.25rem;
  }
  .ticks.each {
    font-size: 0.68rem;
  }
  .ticks.each span {
    flex: 1;
    text-align: center;
    white-space: nowrap;
  }
  .legend {
    display: flex;
    gap: 1rem;
    margin: 0.75rem 0 0;
  }
  .card:last-child {
    grid-column: 1 / -1;
  }
  rect.page {
    fill: var(--page);
  }
  rect.failed {
    fill: var(--failed);
  }
  rect.skipped {
    fill: var(--skipped);
  }
  .bars,
  .tree,
  .tree ul,
  .gallery {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .bars button {
    position: relative;
    display: flex;
    justify-content: space-between;
    gap: 1rem;
    width: 100%;
    border: 0;
    border-radius: 4px;
    padding: 0.18rem 0.5rem;
    background: none;
    text-align: left;
    font-size: 0.9rem;
  }
  .bars li + li {
    margin-top: 2px;
  }
  .bars button:hover {
    background: var(--raised);
  }
  .bar {
    position: absolute;
    inset: 0 auto 0 0;
    border-radius: 4px;
    background: color-mix(in srgb, var(--page) 20%, transparent);
  }
  .bar.failed {
    background: color-mix(in srgb, var(--failed) 20%, transparent);
  }
  .bar.skipped {
    background: color-mix(in srgb, var(--skipped) 26%, transparent);
  }
  .bars .label,
  .bars .value {
    position: relative;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .bars .value {
    flex: none;
    color: var(--soft);
  }
  .options {
    display: grid;
    grid-template-columns: minmax(6rem, auto) 1fr;
    gap: 0.25rem 1rem;
    margin: 0;
    max-height: 20rem;
    overflow: auto;
    font-size: 0.85rem;
  }
  .options dt {
    color: var(--soft);
  }
  .options dd {
    margin: 0;
    font-family: var(--mono);
    font-size: 0.8rem;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  main > section {
    margin-top: 2rem;
  }
  main > section > h2 {
    font-size: 1.15rem;
  }
  .filters {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    margin-bottom: 0.75rem;
  }
  .filters input,
  .filters select {
    min-width: 0;
    max-width: 100%;
    border: 1px solid var(--line);
    border-radius: 6px;
    padding: 0.35rem 0.6rem;
    background: var(--card);
  }
  .filters select {
    max-width: 15rem;
    font-size: 0.9rem;
  }
  .filters input {
    flex: 1 1 18rem;
  }
  .filters input::placeholder {
    color: var(--soft);
    opacity: 1;
  }
  .states {
    display: flex;
    flex-wrap: wrap;
    border: 1px solid var(--line);
    border-radius: 6px;
    background: var(--card);
    overflow: hidden;
  }
  .states button {
    border: 0;
    padding: 0.35rem 0.7rem;
    background: none;
    font-size: 0.9rem;
  }
  .states button + button {
    border-left: 1px solid var(--line);
  }
  .states button:hover {
    background: var(--raised);
  }
  .states button:focus-visible {
    outline-offset: -2px;
  }
  .states button[aria-pressed='true'] {
    background: var(--accent);
    color: var(--card);
  }
  .states .count {
    opacity: 0.8;
    font-size: 0.85em;
  }
  .found {
    margin: 0;
    color: var(--soft);
    font-size: 0.85rem;
    white-space: nowrap;
  }
  .pins p {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.75rem;
    margin: 0 0 0.75rem;
    overflow-wrap: anywhere;
  }
  .split {
    display: grid;
    grid-template-columns: 19rem minmax(0, 1fr);
    gap: 1rem;
    align-items: start;
  }
  .tree-box,
  .table-box {
    border: 1px solid var(--line);
    border-radius: 10px;
    background: var(--card);
  }
  .tree-box {
    max-height: min(44rem, 80vh);
    overflow: auto;
    padding: 0.5rem;
    font-size: 0.9rem;
  }
  .tree-box summary {
    padding: 0.25rem 0.5rem;
    font-weight: 600;
    cursor: pointer;
  }
  .tree ul {
    margin-left: 0.7rem;
    border-left: 1px solid var(--line);
    padding-left: 0.35rem;
  }
  .branch {
    position: relative;
    display: flex;
    align-items: center;
  }
  .folder,
  .leaf {
    display: flex;
    flex: 1;
    align-items: center;
    gap: 0.5rem;
    width: 100%;
    min-width: 0;
    border: 0;
    border-radius: 4px;
    padding: 0.15rem 0.4rem;
    background: none;
    text-align: left;
  }
  .folder:hover,
  .leaf:hover {
    background: var(--raised);
  }
  .folder::before {
    content: '';
    flex: none;
    width: 0.4rem;
    height: 0.4rem;
    border-right: 1.5px solid var(--soft);
    border-bottom: 1.5px solid var(--soft);
    transform: rotate(-45deg);
  }
  .folder[aria-expanded='true']::before {
    transform: rotate(45deg) translate(-1px, -1px);
  }
  .tree .label {
    flex: 1;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .folder .label {
    font-weight: 550;
  }
  .tally {
    position: relative;
    flex: none;
    display: flex;
    gap: 0.5rem;
    color: var(--soft);
    font-size: 0.78rem;
  }
  .dot::before {
    content: '';
    display: inline-block;
    width: 0.5rem;
    height: 0.5rem;
    margin-right: 0.25rem;
    border-radius: 50%;
    background: var(--skipped);
  }
  .dot.page::before {
    background: var(--page);
  }
  .dot.failed::before {
    background: var(--failed);
    border-radius: 1px;
  }
  .dot.filled.failed::before {
    border-radius: 50%;
  }
  .dot.skipped:not(.filled)::before {
    background: none;
    border: 1.5px solid var(--skipped);
  }
  .show {
    position: absolute;
    right: 0.2rem;
    padding: 0 0.4rem;
    font-size: 0.75rem;
    opacity: 0;
  }
  .branch:hover .show,
  .show:focus-visible {
    opacity: 1;
  }

  .table-box {
    position: relative;
    height: min(44rem, 80vh);
    min-height: 12rem;
    overflow: auto;
    contain: strict;
  }
  table {
    width: 100%;
    border-collapse: separate;
    border-spacing: 0;
    table-layout: fixed;
    font-size: 0.88rem;
  }
  th {
    position: sticky;
    top: 0;
    z-index: 1;
    padding: 0;
    border-bottom: 1px solid var(--line);
    background: var(--card);
    text-align: left;
    font-weight: 600;
  }
  th button {
    width: 100%;
    border: 0;
    padding: 0.55rem 0.6rem;
    background: none;
    text-align: inherit;
    font-size: 0.82rem;
    font-weight: inherit;
    color: var(--soft);
    white-space: nowrap;
  }
  th button:hover,
  th[aria-sort='ascending'] button,
  th[aria-sort='descending'] button {
    color: var(--text);
  }
  th button:focus-visible {
    outline-offset: -2px;
  }
  th[aria-sort='ascending'] button::after {
    content: ' ↑' / '';
  }
  th[aria-sort='descending'] button::after {
    content: ' ↓' / '';
  }
  td {
    height: 46px;
    padding: 0 0.6rem;
    border-bottom: 1px solid var(--line);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  tbody tr[aria-rowindex] {
    cursor: pointer;
  }
  tbody tr[aria-rowindex]:hover {
    background: var(--raised);
  }
  th.status,
  td.status {
    width: 10.5rem;
  }
  th.number,
  td.number {
    width: 5.5rem;
    text-align: right;
  }
  th.minor {
    width: 5.5rem;
  }
  th.number.minor {
    width: 4.7rem;
  }
  th.parent {
    width: 14rem;
  }
  td.minor,
  td.number {
    color: var(--soft);
  }
  .badge {
    max-width: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
    vertical-align: middle;
    font-size: 0.75rem;
  }
  .badge.page {
    color: var(--page);
    background: color-mix(in srgb, var(--page) 12%, var(--card));
  }
  .badge.failed {
    color: var(--failed);
    background: color-mix(in srgb, var(--failed) 12%, var(--card));
  }
  .open {
    display: block;
    width: 100%;
    border: 0;
    border-radius: 4px;
    padding: 0;
    background: none;
    text-align: left;
    line-height: 1.3;
  }
  .open bdi {
    display: block;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .open .url {
    color: var(--soft);
    font-size: 0.8rem;
  }
  .empty {
    padding: 3rem 1rem;
    text-align: center;
    color: var(--soft);
  }

  .gallery {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr));
    gap: 1rem;
  }
  .gallery button {
    width: 100%;
    border: 1px solid var(--line);
    border-radius: 10px;
    padding: 0;
    background: var(--card);
    overflow: hidden;
    text-align: left;
    font-size: 0.85rem;
  }
  .gallery img {
    display: block;
    width: 100%;
    aspect-ratio: 4 / 3;
    object-fit: cover;
    object-position: top;
    border-bottom: 1px solid var(--line);
  }
  .gallery bdi {
    display: block;
    padding: 0.5rem 0.75rem;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  footer {
    padding: 2rem 0;
  }

  dialog {
    width: min(44rem, calc(100vw - 2rem));
    max-height: calc(100vh - 4rem);
    border: 1px solid var(--line);
    border-radius: 12px;
    padding: 0;
    background: var(--card);
    color: var(--text);
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 45%);
  }
  .details {
    padding: 1.25rem 1.5rem 1.5rem;
  }
  .details header {
    display: flex;
    justify-content: space-between;
    align-items: center;
  }
  .details h2 {
    margin: 0.75rem 0;
    font-size: 1.15rem;
    overflow-wrap: anywhere;
  }
  .details img {
    display: block;
    max-width: 100%;
    margin: 0 auto 1rem;
    border: 1px solid var(--line);
    border-radius: 6px;
  }
  .details dl {
    display: grid;
    grid-template-columns: 7rem 1fr;
    gap: 0.35rem 1rem;
    margin: 0 0 1rem;
  }
  .details dt {
    color: var(--soft);
  }
  .details dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .details ul {
    margin: 0;
    padding-left: 1.1rem;
  }

  @media (max-width: 80rem) {
    th.status,
    td.status {
      width: 8.5rem;
    }
  }
  @media (max-width: 105rem) {
    th.parent,
    td.parent {
      display: none;
    }
  }
  @media (max-width: 60rem) {
    .split {
      grid-template-columns: minmax(0, 1fr);
    }
    .tree-box[open] {
      max-height: 24rem;
    }
  }
  @media (max-width: 45rem) {
    main,
    .head {
      padding-inline: 1rem;
    }
    .when {
      margin-right: 0;
    }
    th.minor,
    td.minor,
    th.number,
    td.number {
      display: none;
    }
    th.status,
    td.status {
      width: 6.5rem;
    }
    .filters input {
      flex-basis: 100%;
    }
    .details dl {
      grid-template-columns: 1fr;
      gap: 0;
    }
    .details dd {
      margin-bottom: 0.5rem;
    }
  }
  @media (hover: none) {
    .show {
      position: static;
      opacity: 1;
    }
  }
  @media (prefers-contrast: more) {
    :root {
      --soft: var(--text);
      --line: light-dark(#6b7783, #8d99a6);
    }
  }
  @media print {
    :root,
    :root[data-theme='dark'] {
      color-scheme: light;
      --paper: #fff;
      font-size: 11px;
    }
    .head button,
    .filters,
    .tree-box,
    th.parent,
    td.parent {
      display: none;
    }
    .split {
      display: block;
    }
    .table-box {
      height: auto;
      max-height: none !important;
      overflow: visible;
      contain: none;
    }
    .card,
    tr {
      break-inside: avoid;
    }
    th {
      position: static;
    }
    td {
      height: auto;
      padding-block: 0.25rem;
    }
  }
`;
