import type { ProposedDifference } from '../../engine/approvals/pending-changes.js';
import type { Json } from '../../kernel/json/json.js';
import { diffTable } from './diff-table.js';
import { type Html, html, marked, markedLines } from './html.js';
import { meaningOf, pathWords } from './labels.js';
import { type Item, itemsOf } from './list-items.js';

/** @param everyLine link to the same page with every line of long texts */
export function changeView({ path, from, to }: ProposedDifference, whole: boolean, everyLine = '?lines=all'): Html {
  const title = pathWords(path);
  return html`<section class="change">
<h3>${title}${title !== path && html` <code class="path">${marked(path)}</code>`}</h3>
${difference(path, from, to, (before, after) => diffTable(before, after, whole, everyLine))}
</section>`;
}

function difference(path: string, from: Json, to: Json, table: (before: string, after: string) => Html): Html {
  if (isShort(from) && isShort(to)) {
    return html`<dl class="pair">
<div class="before"><dt>Before</dt><dd>${shortValue(path, from)}</dd></div>
<div class="after"><dt>After</dt><dd>${shortValue(path, to)}</dd></div>
</dl>`;
  }
  const [before, after] = [itemsOf(path, from), itemsOf(path, to)];
  const list = before && after && listDifference(before, after);
  // The list of items does not show changes of their order or nesting. If nothing else changed, the JSON is shown
  // instead.
  if (list === undefined || isSame(before, after)) return table(textOf(from), textOf(to));
  if (isPlain(from) && isPlain(to)) return list;
  return html`${list}
<details><summary>As it is recorded</summary>
${table(textOf(from), textOf(to))}
</details>`;
}

const isSame = (before: readonly Item[] = [], after: readonly Item[] = []) =>
  before.length === after.length && before.every(({ key }) => after.some((other) => other.key === key));

export function movedView({ path, from, to }: ProposedDifference, now: Json | undefined): Html {
  return html`<section class="change">
<h3>${pathWords(path)}</h3>
<dl class="states">
<div><dt>When it was asked for</dt><dd>${wholeValue(path, from)}</dd></div>
<div><dt>Now</dt><dd>${now === undefined ? html`<em>It no longer exists.</em>` : wholeValue(path, now)}</dd></div>
<div><dt>Asked for</dt><dd>${wholeValue(path, to)}</dd></div>
</dl>
</section>`;
}

function wholeValue(path: string, value: Json): Html {
  if (isShort(value)) return shortValue(path, value);
  const items = itemsOf(path, value);
  return items ? listDifference(items, items) : html`<pre tabindex="0">${markedLines(textOf(value))}</pre>`;
}

function listDifference(from: readonly Item[], to: readonly Item[]): Html {
  const [before, after] = [new Set(from.map(({ key }) => key)), new Set(to.map(({ key }) => key))];
  const all = [...from, ...to.filter(({ key }) => !before.has(key))];
  if (all.length === 0) return html`<p class="none">none</p>`;
  return html`<ul class="values">${all.map(({ key, shown }) => {
    if (before.has(key) && after.has(key)) return html`<li>${shown}</li>`;
    return after.has(key)
      ? html`<li class="added"><ins><span class="sign">+ new: </span>${shown}</ins></li>`
      : html`<li class="removed"><del><span class="sign">− removed: </span>${shown}</del></li>`;
  })}</ul>`;
}

function shortValue(path: string, value: Json): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === '' || value === null) return html`<span class="none">${value === null ? 'nothing' : 'empty'}</span>`;
  const meaning = meaningOf(path, text);
  return html`<code>${marked(text)}</code>${meaning !== undefined && html` <span class="meaning">${meaning}</span>`}`;
}

const isPlain = (value: Json): boolean =>
  value === null || (Array.isArray(value) && value.every((item) => typeof item === 'string'));

const isShort = (value: Json): boolean =>
  value === null || typeof value !== 'object' ? String(value).length <= 200 && !String(value).includes('\n') : false;

/** Members of objects are sorted by name, so that their order makes no difference. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(ordered(value), undefined, 2);
}

function ordered(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => ordered(item));
  const entries = Object.entries(value as Record<string, Json>).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, ordered(member)]));
}
