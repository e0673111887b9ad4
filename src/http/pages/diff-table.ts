import { type DiffLine, type DiffRow, lineDiff, withContext } from '../../engine/approvals/line-diff.js';
import { type Html, html, markedLines } from './html.js';

/** Browsers show a diff of this size without delay. If a diff has more rows, both texts are shown in full. */
const mostRows = 10_000;

export function diffTable(before: string, after: string, whole: boolean, everyLine: string): Html {
  const lines = lineDiff(before, after);
  const rows: readonly DiffRow[] = whole ? lines : withContext(lines);
  if (rows.length > mostRows) return inFull(before, after);
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  const isLeftOut = rows.length < lines.length;
  return html`<p class="count">${linesMoved(count('added'), count('removed'))}, ${lineWords(count('same'))} unchanged${
    isLeftOut && html` (<a href="${everyLine}">show every line</a>)`
  }.</p>
${rowsTable(rows)}`;
}

export const linesMoved = (added: number, removed: number): Html =>
  html`<ins>${lineWords(added)} added</ins>, <del>${lineWords(removed)} removed</del>`;

export const rowsTable = (rows: readonly DiffRow[]): Html => html`<table class="diff">
<colgroup><col class="number"><col class="number"><col class="sign"><col></colgroup>
<thead class="quiet"><tr><th scope="col">Line before</th><th scope="col">Line after</th><th scope="col">Change</th><th scope="col">Text</th></tr></thead>
<tbody>${rows.map(rowOf)}</tbody>
</table>`;

function rowOf(row: DiffRow): Html {
  if (row.kind === 'left-out') {
    return html`<tr class="left-out"><td colspan="4">${lineWords(row.count)} unchanged</td></tr>\n`;
  }
  const { kind, text, before, after } = row;
  return html`<tr class="${kind}"><td>${before}</td><td>${after}</td><td>${signs[kind]}</td><td><code>${markedLines(text)}</code></td></tr>\n`;
}

const signs: Readonly<Record<DiffLine['kind'], Html>> = {
  same: html``,
  removed: html`<span aria-hidden="true">−</span><span class="quiet">removed</span>`,
  added: html`<span aria-hidden="true">+</span><span class="quiet">added</span>`,
};

const lineWords = (count: number) => (count === 1 ? '1 line' : `${count} lines`);

function inFull(before: string, after: string): Html {
  return html`<p class="count">The difference is too large to show line by line. Below is the whole text, before and after.</p>
<h4>Before</h4>
<pre tabindex="0">${markedLines(before)}</pre>
<h4>After</h4>
<pre tabindex="0">${markedLines(after)}</pre>`;
}
