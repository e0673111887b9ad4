import { canBeUndoneAgain } from '../../../areas/audit/undo/undone-again.api.js';
import { type Html, html, marked } from '../html.js';
import { formToken, type HtmlPage, type PageFrame } from '../layout.js';
import type { PageSession } from '../page-sessions.js';
import type { DryRunAnswer } from '../persons-calls.js';
import { actorShown, auditPath, momentWords, resourceLink, type ShownEvent, typeInWords } from './audit-words.js';

/** @param tried the result of a dry run of the undo */
export function undoPage({ root }: PageFrame, session: PageSession, event: ShownEvent, tried: DryRunAnswer): HtmlPage {
  const own = auditPath(root, 'events', event.position);
  const content = html`<p class="back"><a href="${own}">Back to the event</a></p>
<h1>Undo this change?</h1>
<dl class="facts">
<div><dt>Change</dt><dd>${typeInWords(event.type)}</dd></div>
<div><dt>When</dt><dd>${momentWords(event.at)}</dd></div>
<div><dt>Who</dt><dd>${actorShown(event.actor)}</dd></div>
<div><dt>Resource</dt><dd>${resourceLink(root, event.resource)}</dd></div>
</dl>
<h2>Effect of the undo</h2>
${outcome(event, tried)}
<form method="post" action="${own}/undo" class="undo">${formToken(session)}<button class="primary">${tried.card === null ? 'Undo' : 'Ask for approval'}</button> <a href="${own}">Cancel</a></form>`;
  return { title: 'Undo this change?', content };
}

function outcome({ resource: { kind } }: ShownEvent, { events, card, answer, outside }: DryRunAnswer): Html {
  const operation = answer?.['operation'];
  const again = card === null && typeof operation === 'string' && canBeUndoneAgain(kind, operation);
  return html`<ul>
${events.map(({ type }) => html`<li>${typeInWords(type)}</li>`)}
${card !== null && html`<li>A person must approve it first: ${marked(card.summary)}</li>`}
${outside.map((one) => html`<li>It also ${one}.</li>`)}
</ul>
<p class="hint">The undo is recorded${again && ' and can itself be undone'}.</p>`;
}
