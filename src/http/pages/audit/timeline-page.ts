import { type Html, html } from '../html.js';
import { alert, type HtmlPage, type PageFrame } from '../layout.js';
import {
  actorShown,
  approverShown,
  auditPath,
  clockWords,
  markedEventWords,
  resourceLink,
  type ShownEvent,
  undoneShown,
} from './audit-words.js';

export interface Filters {
  readonly kind: string;
  readonly id: string;
  readonly actorId: string;
  readonly type: string;
  readonly from: string;
  readonly to: string;
}

export interface Timeline {
  readonly filters: Filters;
  readonly kinds: readonly string[];
  readonly events: readonly ShownEvent[];
  /** The next page contains events before this position. `null` if there are no older events. */
  readonly next: number | null;
  readonly mayExport: boolean;
  readonly wrong?: string | undefined;
}

export function timelinePage(
  { root }: PageFrame,
  { filters, kinds, events, next, mayExport, wrong }: Timeline,
): HtmlPage {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  if (next !== null) query.set('before', String(next));
  const days = [...Map.groupBy(events, ({ at }) => at.slice(0, 10))];
  const content = html`<h1>Audit</h1>
<p class="hint">All changes, newest first. Reading this page is also recorded.</p>
${alert(wrong)}
<form method="get" action="${auditPath(root)}" class="filters" role="search" aria-label="Search the audit">
<div><label for="kind">Kind</label><select id="kind" name="kind"><option value="">every kind</option>${kinds.map(
    (kind) => html`<option${kind === filters.kind && html` selected`}>${kind}</option>`,
  )}</select></div>
${field('id', 'Id of the resource', filters.id)}
${field('actorId', 'Id of the actor', filters.actorId)}
${field('type', 'Type of event', filters.type, 'FunctionDeleted')}
${time('from', 'From (UTC)', filters.from)}
${time('to', 'Before (UTC)', filters.to)}
<div class="send"><button class="primary">Search</button> <a href="${auditPath(root)}">Clear</a></div>
</form>
<section aria-label="Events">
${events.length === 0 && html`<p class="empty">No event matches. Widen the search, or clear it.</p>`}
<div data-days>
${days.map(
  ([day, own]) => html`<h2>${dayWords(day)} (UTC)</h2>
<ol class="events">${own.map((event) => entry(root, event))}</ol>
`,
)}
</div>
${next !== null && html`<p><a rel="next" href="${auditPath(root)}?${query.toString()}">Older events</a></p>`}
</section>
<section aria-labelledby="why">
<h2 id="why">Why was it refused?</h2>
<form method="get" action="${auditPath(root, 'decision')}" class="filters">
${field('decision', 'Decision id of the refusal', '', 'dec_…')}
<div class="send"><button>Explain</button></div>
</form>
</section>
${mayExport && html`<p><a href="${auditPath(root, 'export')}">Export and verify</a></p>`}`;
  return { title: 'Audit', content };
}

function entry(root: string, event: ShownEvent): Html {
  const { at, actor, position, resource, command } = event;
  return html`<li class="event"><p class="meta">${clockWords(at)} <span>${actorShown(actor)}${approverShown(event)}</span></p>
<h3><a href="${auditPath(root, 'events', position)}">${markedEventWords(event)}</a></h3>
<p class="meta">${resourceLink(root, resource)} <span>${command}</span></p>${event.undoneBy && html`<p class="meta">${undoneShown(root, event)}</p>`}</li>
`;
}

const field = (name: string, label: string, value: string, example = ''): Html =>
  html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value}" maxlength="2000" spellcheck="false" autocapitalize="none"${example !== '' && html` placeholder="${example}"`}></div>`;

const time = (name: string, label: string, value: string): Html =>
  html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" type="datetime-local" step="1" value="${value}" data-utc></div>`;

const days = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

const dayWords = (day: string): string => days.format(new Date(day));
