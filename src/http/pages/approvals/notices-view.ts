import type { NoticeRecord } from '../../../areas/approvals/notice/notice-answers.api.js';
import { type Html, html, marked } from '../html.js';
import { actorWords, timeWords } from '../labels.js';
import { formToken, type PageFrame } from '../layout.js';
import type { PageSession } from '../page-sessions.js';

export interface Notices {
  readonly id: string;
  readonly heading: string;
  readonly hint: string;
  readonly empty: string;
  readonly notices: readonly NoticeRecord[];
  readonly mayUndo: boolean;
}

export function noticesSection(frame: PageFrame, session: PageSession, shown: Notices): Html {
  const { id, heading, hint, empty, notices, mayUndo } = shown;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
<p class="hint">${hint}</p>
<ul class="cards" data-list="${id}">${notices.map((notice) => noticeItem(frame, session, notice, mayUndo))}</ul>
<p class="empty">${empty}</p>
</section>`;
}

function noticeItem({ root }: PageFrame, session: PageSession, notice: NoticeRecord, mayUndo: boolean): Html {
  const { id, kind, summary, createdAt, by, approvedBy, undo } = notice;
  const undoable = undo.available
    ? html`<span>can be undone until ${timeWords(undo.expiresAt)}</span>`
    : html`<span>${undo.why ?? 'can no longer be undone'}</span>`;
  const done =
    by && html`<span>by ${actorWords(by)}${approvedBy && html`, approved by ${actorWords(approvedBy)}`}</span> `;
  return html`<li class="card notice" data-id="${id}" data-state="${undo.available ? 'open' : 'over'}">
<div>
<h3>${marked(summary)}</h3>
<p class="meta">${done}<span>on ${timeWords(createdAt)}</span> ${kind === 'change' && undoable}</p>
</div>
${
  undo.available &&
  mayUndo &&
  html`<form method="post" action="${root}/approvals/notices/${id}/undo">${formToken(session)}<button aria-label="Undo: ${summary}">Undo</button></form>`
}
</li>
`;
}
