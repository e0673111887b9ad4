import type { NoticeRecord } from '../../../areas/approvals/notice/notice.operations.js';
import type { PendingChangeCard } from '../../../engine/pending-changes.js';
import { type Html, html, marked } from '../html.js';
import { actorWords, timeWords } from '../labels.js';
import { alert, type Frame, formToken, type Page } from '../layout.js';
import type { PageSession } from '../page-sessions.js';

export interface Inbox {
  readonly cards: readonly PendingChangeCard[];
  readonly notices: readonly NoticeRecord[];
  /** There are more, older cards. */
  readonly more: boolean;
  /** Whether this person may undo anything. */
  readonly mayUndo: boolean;
  /** How many seconds old the data may be; 0 while it is fresh. */
  readonly ageSeconds: number;
  readonly wrong?: string;
}

export function inboxPage(frame: Frame, session: PageSession, inbox: Inbox): Page {
  const { cards, notices, more, ageSeconds, wrong } = inbox;
  const oldest = cards.at(-1);
  const content = html`<h1>Approvals</h1>
${alert(wrong)}
${ageSeconds > 0 && html`<p class="alert">What you see may be ${ageSeconds} seconds old.</p>`}
<section aria-labelledby="waiting">
<h2 id="waiting">Waiting for a person</h2>
<ul class="cards" data-list="waiting">${cards.map((card) => cardItem(frame, card))}</ul>
<p class="empty">Nothing waits for you.</p>
${more && oldest && html`<p><a href="${frame.root}/approvals?before=${oldest.id}">Older ones</a></p>`}
</section>
<section aria-labelledby="done">
<h2 id="done">Done at once</h2>
<p class="hint">What only takes rights away waits for nobody. For a day it can be undone, as long as nothing else changes.</p>
<ul class="cards" data-list="done">${notices.map((notice) => noticeItem(frame, session, notice, inbox.mayUndo))}</ul>
<p class="empty">Nothing was taken away lately.</p>
</section>`;
  return {
    title: cards.length === 0 ? 'Approvals' : `(${cards.length}${more ? '+' : ''}) Approvals`,
    content,
    live: '/approvals',
  };
}

function cardItem({ root }: Frame, card: PendingChangeCard): Html {
  return html`<li class="card" data-id="${card.id}" data-state="${card.status}">
<h3><a href="${root}/approvals/${card.id}">${marked(card.summary)}</a></h3>
<p class="meta"><span>Asked by ${actorWords(card.requestedBy)}</span> <span>on ${timeWords(card.createdAt)}</span> <span>waits until ${timeWords(card.expiresAt)}</span></p>
</li>
`;
}

function noticeItem({ root }: Frame, session: PageSession, notice: NoticeRecord, mayUndo: boolean): Html {
  const { id, summary, createdAt, undo } = notice;
  return html`<li class="card notice" data-id="${id}" data-state="${undo.available ? 'open' : 'over'}">
<div>
<h3>${marked(summary)}</h3>
<p class="meta"><span>on ${timeWords(createdAt)}</span> ${
    undo.available
      ? html`<span>can be undone until ${timeWords(undo.expiresAt)}</span>`
      : html`<span>can no longer be undone</span>`
  }</p>
</div>
${
  undo.available &&
  mayUndo &&
  html`<form method="post" action="${root}/approvals/notices/${id}/undo">${formToken(session)}<button aria-label="Undo: ${summary}">Undo</button></form>`
}
</li>
`;
}
