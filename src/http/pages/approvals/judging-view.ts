import type {
  CardCode,
  CardContext,
  CardHoldings,
  CardRun,
  CardSite,
  CardStart,
} from '../../../areas/approvals/pending-change/card-context.api.js';
import type { CardActor } from '../../../engine/approvals/pending-changes.js';
import type { Json } from '../../../kernel/json/json.js';
import { type Html, html, marked, markedLines } from '../html.js';
import { pathWords, timeWords } from '../labels.js';
import { itemsOf } from '../list-items.js';

/** Code with more lines than this is collapsed, so that the decision is not far down the page. */
const linesShown = 40;

/** Returns a sentence if the reader requested the change or is treated as having requested it, otherwise undefined. */
export function askedByWords(
  { requestedBy: { kind, id }, context }: { readonly requestedBy: CardActor; readonly context?: CardContext },
  reader: { readonly id: string },
): Html | undefined {
  if (context?.askedByYou !== true) return undefined;
  const isOwn = kind === 'person' && id === reader.id;
  return html`<br><strong>${isOwn ? 'You asked for this yourself.' : 'You are treated as having asked for this.'}</strong>`;
}

export function meansView({ means, lacks = [] }: Pick<CardContext, 'means' | 'lacks'>): Html | undefined {
  if (means.length + lacks.length === 0) return undefined;
  return html`<section class="means" aria-labelledby="means">
<h2 id="means">What becomes possible</h2>
<ul>${means.map((sentence) => html`<li>${marked(sentence)}</li>`)}</ul>
${lacks.length > 0 && html`<ul class="lacks">${lacks.map((sentence) => html`<li>${marked(sentence)}</li>`)}</ul>`}
</section>`;
}

export function contextView({ code, starts, execute, holds, sites, runs }: CardContext): Html {
  return html`${code && codeView(code)}
${starts && startsView(starts, execute)}
${holds && holdingsView(holds, sites)}
${runs && runsView(runs)}`;
}

function codeView({ number, writtenBy, createdAt, isLive, text }: CardCode): Html {
  const lines = text.split('\n').length;
  const version = number === null ? 'A new version' : `Version ${number}`;
  return html`<section aria-labelledby="code">
<h2 id="code">The code that runs</h2>
<p class="meta"><span>${version}, ${isLive ? 'already live' : 'not live yet'}</span> <span>written by <bdi>${marked(writtenBy)}</bdi></span> <span>on ${timeWords(createdAt)}</span></p>
<details${lines <= linesShown && html` open`}><summary>${lines === 1 ? '1 line' : `${lines} lines`}</summary>
<pre class="code" tabindex="0" aria-label="Code">${markedLines(text)}</pre>
</details>
</section>`;
}

function startsView(starts: readonly CardStart[], execute: string | undefined): Html {
  return html`<section aria-labelledby="starts">
<h2 id="starts">What starts it</h2>
${starts.length === 0 ? html`<p class="none">Nothing that you may see.</p>` : html`<ul class="values">${starts.map(startItem)}</ul>`}
${execute !== undefined && html`<p class="hint">Visitors who may execute it: ${marked(execute)}.</p>`}
</section>`;
}

const startItem = ({ words, isActive }: CardStart): Html =>
  html`<li>${marked(words)}${!isActive && html` <span class="status">inactive</span>`}</li>`;

const holdingPaths = ['capabilities', 'identityMode', 'secrets', 'grants'] as const;

function holdingsView(holds: CardHoldings, sites: readonly CardSite[] = []): Html {
  const { bases: _, ...grants } = holds.grants ?? {};
  const values = { ...holds, ...(holds.grants && { grants }) };
  const shown = holdingPaths.filter((path) => values[path] !== undefined);
  return html`<section aria-labelledby="holds">
<h2 id="holds">What it already has</h2>
<dl class="facts">
${shown.map((path) => fact(pathWords(path), valuesOf(path, values[path] as unknown as Json)))}
${sites.length > 0 && fact('Sites it works on', html`<ul class="plain-list">${sites.map(siteItem)}</ul>`)}
</dl>
</section>`;
}

const fact = (name: string, value: Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

function siteItem({ id, name, access }: CardSite): Html {
  const site = name === null ? html`<code>${marked(id)}</code>` : html`<bdi>${marked(name)}</bdi>`;
  return html`<li>${site}, which it ${access === 'write' ? 'reads and changes' : 'reads'}</li>`;
}

function valuesOf(path: string, value: Json): Html {
  const items = itemsOf(path, typeof value === 'object' ? value : [value]);
  if (items === undefined) return html`<pre tabindex="0">${markedLines(JSON.stringify(value, null, 2))}</pre>`;
  if (items.length === 0) return html`<span class="none">none</span>`;
  if (typeof value !== 'object') return html`${items.map(({ shown }) => shown)}`;
  return html`<ul class="plain-list">${items.map(({ shown }) => html`<li>${shown}</li>`)}</ul>`;
}

function runsView(runs: readonly CardRun[]): Html {
  return html`<section aria-labelledby="runs">
<h2 id="runs">Its last runs</h2>
${runs.length === 0 ? html`<p class="none">It has not run yet.</p>` : html`<ul class="values">${runs.map(runItem)}</ul>`}
</section>`;
}

function runItem({ source, status, startedAt, durationMs, error }: CardRun): Html {
  return html`<li><span class="status">${endings[status]}</span> <span>${timeWords(startedAt)}</span> <span class="where">by ${sources[source] ?? source}${durationMs !== null && `, ${durationMs} ms`}</span>${error !== null && html`<br><span class="meaning">${marked(error)}</span>`}</li>`;
}

const endings: Readonly<Record<CardRun['status'], string>> = {
  queued: 'queued',
  running: 'running',
  success: 'succeeded',
  error: 'failed',
};

const sources: Readonly<Record<string, string>> = {
  schedule: 'a schedule',
  event: 'an event',
  manual: 'a member',
  page: 'a page',
  api: 'a webhook, a key or a flow',
  agent: 'an AI agent',
  method: 'another function',
  gate: 'an access rule',
};
