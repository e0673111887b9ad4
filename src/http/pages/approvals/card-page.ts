import { isDeepStrictEqual } from 'node:util';
import type { WholeCard } from '../../../areas/approvals/pending-change/card-answers.api.js';
import type { NamedCard, PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import type { Json } from '../../../kernel/json/json.js';
import { changeView, movedView } from '../change-view.js';
import { type Html, html, marked, markedLines } from '../html.js';
import { actorWords, statusWords, timeWords } from '../labels.js';
import { alert, formToken, type HtmlPage, type PageFrame } from '../layout.js';
import type { PageSession } from '../page-sessions.js';
import { askedByWords, contextView, meansView } from './judging-view.js';
import { risksView } from './risk-marks.js';

export interface CardView {
  readonly card: ShownCard;
  /** Only set for cards that wait. */
  readonly decision?: {
    /** Whether the change is approved and waits only for being applied. */
    readonly isApproved: boolean;
    /** A sentence why the reader may not do this, or undefined. */
    readonly mayNotApprove: string | undefined;
    readonly mayNotReject: string | undefined;
  };
  /** Only set for cards that failed or expired. */
  readonly askingAgain?: { readonly mayNot: string | undefined };
  readonly whole: boolean;
  readonly wrong?: string;
  /**
   * Current values by path, if the change was refused because they differ from those on the card. `null` if the target
   * was deleted.
   */
  readonly current?: Readonly<Record<string, Json>> | null;
}

export function cardPage(frame: PageFrame, session: PageSession, view: CardView): HtmlPage {
  const { card, current, wrong, decision } = view;
  const isUndecided = card.status === 'pending' && !decision?.isApproved;
  const content = html`<p class="back"><a href="${frame.root}/approvals">All approvals</a></p>
<article data-id="${card.id}" data-state="${card.status}">
<h1>${marked(card.summary)}</h1>
${risksView(card.risks)}
<p class="state ${card.status}"><strong>${statusWords[card.status]}</strong> ${ending(frame, view)}</p>
${alert(wrong)}
<dl class="facts">
<div><dt>Asked by</dt><dd>${actorWords(card.requestedBy)}${askedByWords(card, session.caller)}</dd></div>
${card.alsoRequestedBy && html`<div><dt>Parts also asked by</dt><dd>${card.alsoRequestedBy.map((by, at) => html`${at > 0 && ', '}${actorWords(by)}`)}</dd></div>`}
${card.requestReason !== undefined && html`<div><dt>Why</dt><dd><q class="said">${markedLines(card.requestReason)}</q></dd></div>`}
<div><dt>Asked on</dt><dd>${timeWords(card.createdAt)}</dd></div>
${isUndecided && html`<div><dt>Waits until</dt><dd>${timeWords(card.expiresAt)}</dd></div>`}
${card.replaces && html`<div><dt>Replaces</dt><dd>${linkTo(frame, card.replaces)}</dd></div>`}
<div><dt>Changes the ${card.target.kind}</dt><dd><bdi>${marked(card.target.name)}</bdi> <code>${marked(card.target.id)}</code></dd></div>
${isUndecided && html`<div><dt>Who decides</dt><dd>${card.call ? 'a person who may make the call themselves' : deciders[card.approver]}</dd></div>`}
</dl>
${current !== undefined && moved(card, current)}
${card.context && meansView(card.context)}
${card.call && callView(card.call)}
${card.changes.length > 0 && changesView(view)}
${card.context && contextView(card.context)}
${decision && decisionView(frame, session, card, decision)}
${view.askingAgain && askingAgainView(frame, session, card, view.askingAgain)}
</article>`;
  const title = card.status === 'pending' ? card.summary : `${statusWords[card.status]}: ${card.summary}`;
  return { title, content, live: `/approvals/${card.id}` };
}

export type ShownCard = PendingChangeCard & Pick<WholeCard, 'context' | 'risks'>;

function callView({ operation, input }: NonNullable<PendingChangeCard['call']>): Html {
  return html`<section aria-labelledby="call">
<h2 id="call">The call</h2>
<p><code>${operation}</code></p>
<pre class="value">${markedLines(JSON.stringify(input, null, 2))}</pre>
</section>`;
}

function changesView({ card, whole }: CardView): Html {
  return html`<section aria-labelledby="changes">
<h2 id="changes">${headings[card.status] ?? 'What would have changed'}</h2>
${card.changes.map((change) => changeView(change, whole))}
</section>`;
}

const deciders = { editor: 'a person who may edit functions', admin: 'the Owner or an Admin' };
const headings: Partial<Record<PendingChangeCard['status'], string>> = {
  pending: 'What changes',
  applied: 'What has changed',
};

function ending(frame: PageFrame, { card, decision }: CardView): Html {
  const { status, decidedBy, decidedAt, reason } = card;
  const by = decidedBy && html`by ${actorWords(decidedBy)}`;
  const on = decidedAt !== undefined && html`on ${timeWords(decidedAt)}`;
  const quote = reason !== undefined && html`<q>${markedLines(reason)}</q>`;
  switch (status) {
    case 'pending':
      return html`${decision?.isApproved ? 'to be made' : 'for a person'}. Nothing has changed yet.`;
    case 'applied':
      return html`${by} ${on}. The change was made.`;
    case 'rejected':
      return html`${by} ${on}. Nothing was changed. ${quote}`;
    case 'expired':
      return html`on ${timeWords(card.expiresAt)}, because no one decided. Nothing was changed.`;
    case 'replaced':
      return html`by a newer request for the same. Nothing was changed. ${card.replacedBy && linkTo(frame, { ...card.replacedBy, summary: 'See the newer request' })}`;
    case 'failed':
      return html`Nothing was changed. ${reason !== undefined && marked(reason)}`;
  }
}

const linkTo = ({ root }: PageFrame, { id, summary }: NamedCard) =>
  html`<a href="${root}/approvals/${id}">${marked(summary)}</a>`;

function moved(card: PendingChangeCard, current: Readonly<Record<string, Json>> | null): Html | undefined {
  const changes = card.changes.filter(({ path, from }) => !isDeepStrictEqual(current?.[path], from));
  if (changes.length === 0) return undefined;
  return html`<section aria-labelledby="moved">
<h2 id="moved">What has changed since</h2>
${changes.map((change) => movedView(change, current === null ? undefined : current[change.path]))}
</section>`;
}

type Offered<Part extends 'decision' | 'askingAgain'> = NonNullable<CardView[Part]>;

function askingAgainView(
  { root }: PageFrame,
  session: PageSession,
  { id }: PendingChangeCard,
  { mayNot }: Offered<'askingAgain'>,
): Html {
  if (mayNot !== undefined) return html`<p class="hint">${mayNot}</p>`;
  return html`<form method="post" action="${root}/approvals/${id}/ask-again">
${formToken(session)}<button class="primary">Ask again</button>
</form>`;
}

function decisionView(
  { root }: PageFrame,
  session: PageSession,
  { id, hash }: PendingChangeCard,
  { isApproved, mayNotApprove, mayNotReject }: Offered<'decision'>,
): Html {
  if (isApproved) return html`<p class="hint">${mayNotApprove}</p>`;
  const path = `${root}/approvals/${id}`;
  const approve = html`<form method="post" action="${path}/approve">
${formToken(session)}<input type="hidden" name="hash" value="${hash}">
<button class="primary">Approve</button>
</form>`;
  const reject = html`<form method="post" action="${path}/reject" class="stack">
${formToken(session)}
<label for="reason">Reason for a rejection (optional)</label>
<textarea id="reason" name="reason" rows="2" maxlength="2000"></textarea>
<button>Reject</button>
</form>`;
  return html`<section class="decision" aria-labelledby="decision">
<h2 id="decision">Your decision</h2>
<p class="hint">${mayNotApprove ?? 'You approve exactly what is shown here. The change is made immediately.'}</p>
<div class="choices">
${mayNotApprove === undefined && approve}
${mayNotReject === undefined && reject}
</div>
</section>`;
}
