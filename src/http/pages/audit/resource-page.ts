import type { ChangedLinesShape } from '../../../areas/audit/reading/audit-answers.api.js';
import type { Json } from '../../../kernel/json/json.js';
import type { Difference } from '../../../kernel/record/difference.js';
import { changeView } from '../change-view.js';
import { linesMoved, rowsTable } from '../diff-table.js';
import { type Html, html, marked } from '../html.js';
import { pathWords } from '../labels.js';
import { alert, type HtmlPage, type PageFrame } from '../layout.js';
import {
  actorShown,
  approverShown,
  auditPath,
  jsonShown,
  markedEventWords,
  momentWords,
  type ShownEvent,
  undoneShown,
} from './audit-words.js';

export interface ResourceView {
  readonly kind: string;
  readonly id: string;
  readonly events: readonly ShownEvent[];
  readonly next: number | null;
  readonly after: number | undefined;
  /**
   * `state` is the state after the event with this number, counted from 1 on this page of the history. Default: the
   * last event.
   */
  readonly version: number;
  readonly state: object | null;
  readonly compared?: {
    readonly from: number;
    readonly to: number;
    readonly changes: readonly Difference[];
    readonly whole: boolean;
    /** Link to the same comparison with every line of long texts. */
    readonly everyLine: string;
  };
  readonly wrong?: string | undefined;
}

export function resourcePage({ root }: PageFrame, view: ResourceView): HtmlPage {
  const { kind, id, events, next, after, version, state, compared, wrong } = view;
  const own = auditPath(root, 'resources', kind, id);
  const shown = events[version - 1];
  const content = html`<p class="back"><a href="${auditPath(root)}">All events</a></p>
<h1>${kind} <code>${marked(id)}</code></h1>
${alert(wrong)}
<section aria-labelledby="then">
<h2 id="then">Earlier state</h2>
<form method="get" action="${own}" class="slider">
${after !== undefined && html`<input type="hidden" name="after" value="${after}">`}
<label for="version">Version ${version} of ${events.length}${next !== null && html` on this page`}</label>
<input id="version" name="version" type="range" min="1" max="${events.length}" step="1" value="${version}">
<button>Show</button>
</form>
${shown && html`<p class="meta">${momentWords(shown.at)} <span>${actorShown(shown.actor)}</span> <span>${markedEventWords(shown)}</span></p>`}
${state === null ? html`<p class="empty">It did not exist.</p>` : jsonShown('As the API returned it', state)}
</section>
${compared !== undefined && comparison(events, compared)}
<section aria-labelledby="history">
<h2 id="history">History</h2>
<form method="get" action="${own}">
${after !== undefined && html`<input type="hidden" name="after" value="${after}">`}
<p class="hint">Choose two versions to compare.</p>
<ol class="events">${events.map((event, index) => entry(root, event, index, events.length, compared))}</ol>
<p><button>Compare</button></p>
</form>
${next !== null && html`<p><a rel="next" href="${own}?after=${next}">Later events</a></p>`}
${after !== undefined && html`<p><a href="${own}">From the beginning</a></p>`}
</section>`;
  return { title: `${kind} ${id}`, content };
}

function entry(
  root: string,
  event: ShownEvent,
  index: number,
  count: number,
  compared: ResourceView['compared'],
): Html {
  const { position, at, actor, command } = event;
  const from = compared === undefined ? index === Math.max(0, count - 2) : compared.from === position;
  const to = compared === undefined ? index === count - 1 : compared.to === position;
  const choice = (name: string, words: string, checked: boolean) =>
    html`<label class="choice"><input type="radio" name="${name}" value="${position}"${checked && html` checked`}> ${words}<span class="quiet"> version ${index + 1}</span></label>`;
  return html`<li class="event"><p class="meta">${momentWords(at)} <span>${actorShown(actor)}${approverShown(event)}</span> <span>${command}</span></p>
<h3><a href="${auditPath(root, 'events', position)}">${index + 1}. ${markedEventWords(event)}</a></h3>
${event.lines?.map(linesShown)}${event.undoneBy && html`<p class="meta">${undoneShown(root, event)}</p>`}<p class="pick">${choice('from', 'before', from)} ${choice('to', 'after', to)}</p></li>
`;
}

const linesShown = ({ path, added, removed, rows, rowsLeftOut }: ChangedLinesShape): Html =>
  html`<details><summary>${pathWords(path)}: ${linesMoved(added, removed)}</summary>
${rowsTable(rows)}${rowsLeftOut !== undefined && html`<p class="hint">Not all lines are shown: compare the two versions.</p>`}
</details>
`;

function comparison(
  events: readonly ShownEvent[],
  { from, to, changes, whole, everyLine }: NonNullable<ResourceView['compared']>,
): Html {
  const number = (position: number) => events.findIndex((event) => event.position === position) + 1 || `at ${position}`;
  return html`<section aria-labelledby="compared">
<h2 id="compared">Version ${number(from)} and version ${number(to)}</h2>
${changes.length === 0 && html`<p class="empty">The API returned the same for both versions.</p>`}
${changes.map(({ path, from: before, to: after }) => changeView({ path, from: before as Json, to: after as Json }, whole, everyLine))}
</section>`;
}
