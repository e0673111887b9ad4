import type { EffectRecord } from '../../../areas/audit/reading/audit-answers.api.js';
import { type Html, html, marked } from '../html.js';
import { alert, type HtmlPage, type PageFrame } from '../layout.js';
import {
  actorShown,
  approverShown,
  auditPath,
  jsonShown,
  momentWords,
  resourceLink,
  type ShownEvent,
  typeInWords,
  undoneShown,
} from './audit-words.js';

/** `causes` are in order, nearest first. `effects` are the events and runs that the event or run caused. */
export interface Graph {
  readonly id: string;
  readonly causes: readonly EffectRecord[];
  readonly effects: readonly EffectRecord[];
  /** True if there are too many causes or effects to list. */
  readonly cut: boolean;
}

export interface EventView {
  readonly event: ShownEvent & { readonly data: unknown; readonly correlationId: string };
  readonly graph: Graph;
  readonly mayUndo: boolean;
  /** Reason why changes of this kind cannot be undone, with an alternative. */
  readonly neverUndone: string | undefined;
  /** Number of calls that still wait for approval, if this event is an undo that was just made. */
  readonly waiting?: number | undefined;
  readonly wrong?: string | undefined;
  readonly conflicts?: unknown;
}

export function eventPage(frame: PageFrame, view: EventView): HtmlPage {
  const { root } = frame;
  const { event, graph, wrong, conflicts } = view;
  const title = typeInWords(event.type);
  const content = html`<p class="back"><a href="${auditPath(root)}">All events</a></p>
<h1>${title}</h1>
${alert(wrong)}
${undoShown(root, view)}
${conflicts !== undefined && jsonShown('Current values', conflicts)}
<dl class="facts">
<div><dt>When</dt><dd>${momentWords(event.at)}</dd></div>
<div><dt>Who</dt><dd>${actorShown(event.actor)}${approverShown(event)}<br><a href="${auditPath(root)}?actorId=${event.actor.id}">all actions by this actor</a></dd></div>
<div><dt>Resource</dt><dd>${resourceLink(root, event.resource)}</dd></div>
<div><dt>Operation</dt><dd><code>${event.command}</code></dd></div>
<div><dt>Position</dt><dd>${event.position}</dd></div>
<div><dt>Event</dt><dd><code>${event.id}</code></dd></div>
</dl>
${undoOffer(root, view)}
<h2>What was recorded</h2>
${jsonShown('Data', event.data)}
${graphShown(root, graph, html`<strong>${title}</strong>`)}`;
  return { title, content };
}

function undoShown(root: string, { event, graph, waiting = 0 }: EventView): Html {
  const [cause] = event.command === 'audit/undoChange' ? graph.causes : [];
  return html`${
    cause?.position !== undefined &&
    html`<p role="status">This undid <a href="${auditPath(root, 'events', cause.position)}">${typeInWords(cause.type)}</a>.${
      waiting > 0 &&
      html` Parts of it have not been done yet: <a href="${root}/approvals">${waiting === 1 ? 'one change waits' : `${waiting} changes wait`} for approval</a>.`
    }</p>`
  }
${event.undoneBy && html`<p role="status">${undoneShown(root, event)}</p>`}`;
}

function undoOffer(root: string, { event, mayUndo, neverUndone }: EventView): Html {
  if (!mayUndo || event.undoneBy !== undefined) return html``;
  if (neverUndone !== undefined)
    return html`<p class="hint undo">This change cannot be undone here. ${neverUndone}</p>`;
  return html`<form method="get" action="${auditPath(root, 'events', event.position, 'undo')}" class="undo"><button>Undo this change…</button><p class="hint">The next page shows the effect and asks for confirmation.</p></form>`;
}

export function nodePage({ root }: PageFrame, kind: string, graph: Graph): HtmlPage {
  const title = kind === 'run' ? 'Run' : 'What happened';
  const content = html`<p class="back"><a href="${auditPath(root)}">All events</a></p>
<h1>${title} <code>${marked(graph.id)}</code></h1>
${graphShown(root, graph, html`<strong>${title}</strong>`)}`;
  return { title, content };
}

function graphShown(root: string, { id, causes, effects, cut }: Graph, self: Html): Html {
  const children = Map.groupBy(effects, ({ causedBy }) => causedBy);
  const known = new Set(effects.map((one) => one.id));
  // Effects whose cause is not in the list are shown at the top level.
  const orphans = effects.filter(({ causedBy }) => causedBy !== id && !(causedBy !== null && known.has(causedBy)));
  const below = (parent: string): Html => {
    const own = children.get(parent) ?? [];
    return own.length === 0
      ? html``
      : html`<ul>${own.map((one) => html`<li>${node(root, one)}${below(one.id)}</li>`)}</ul>`;
  };
  const here = html`<span aria-current="true">${self}</span>${below(id)}${
    orphans.length > 0 && html`<ul>${orphans.map((one) => html`<li>${node(root, one)}${below(one.id)}</li>`)}</ul>`
  }`;
  const tree = causes.reduce<Html>((inner, cause) => html`${node(root, cause)}<ul><li>${inner}</li></ul>`, here);
  return html`<section aria-labelledby="graph">
<h2 id="graph">Cause and effect</h2>
${causes.length === 0 && effects.length === 0 && html`<p class="hint">Nothing else led to it or followed from it.</p>`}
<ul class="graph"><li>${tree}</li></ul>
${cut && html`<p class="hint">Not everything is shown: follow one of the last links to see more.</p>`}
</section>`;
}

function node(root: string, { node: kind, id, at, type, resource, status, position }: EffectRecord): Html {
  const { kind: of, name } = resource as { readonly kind: string; readonly name?: string };
  const what = kind === 'event' ? typeInWords(type) : kind === 'mail' ? 'A mail was received' : `Run of a ${of}`;
  const href =
    position !== undefined
      ? auditPath(root, 'events', position)
      : auditPath(root, 'nodes', kind === 'run' ? 'run' : 'event', id);
  const link = kind === 'skippedRun' ? html`A skipped run` : html`<a href="${href}">${what}</a>`;
  return html`${link}${name !== undefined && html` <bdi>${marked(name)}</bdi>`}${status !== null && html` <span class="status">${status}</span>`} <span class="meta">${momentWords(at)}</span>`;
}
