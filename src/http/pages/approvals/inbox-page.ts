import type { NoticeRecord } from '../../../areas/approvals/notice/notice-answers.api.js';
import { type Html, html } from '../html.js';
import { alert, type HtmlPage, type PageFrame } from '../layout.js';
import type { PageSession } from '../page-sessions.js';
import { type InboxCard, waitingList } from './inbox-cards.js';
import { noticesSection } from './notices-view.js';

export interface Inbox {
  readonly cards: readonly InboxCard[];
  readonly changes: readonly NoticeRecord[];
  readonly failures: readonly NoticeRecord[];
  readonly more: boolean;
  readonly mayUndo: boolean;
  /** Age of the read model in seconds. */
  readonly ageSeconds: number;
  readonly wrong?: string;
}

export function inboxPage(frame: PageFrame, session: PageSession, inbox: Inbox): HtmlPage {
  const { cards, more, wrong, changes, failures, mayUndo } = inbox;
  const oldest = cards.at(-1);
  const content = html`<h1>Approvals</h1>
${inboxTabs(frame, 'waiting')}
${alert(wrong)}
${ageWords(inbox)}
<section aria-labelledby="waiting">
<h2 id="waiting">Waiting for a person</h2>
<ul class="cards" data-list="waiting">${waitingList(frame, cards)}</ul>
<p class="empty">Nothing waits for you.</p>
${more && oldest && html`<p><a href="${frame.root}/approvals?before=${oldest.id}">Older approvals</a></p>`}
</section>
${noticesSection(frame, session, {
  id: 'done',
  heading: 'Recent changes',
  hint: 'Changes that only take rights away are made immediately. Deletions are listed too, some of them approved. If there is an Undo button, you can undo the change for a day, as long as nothing else changes.',
  empty: 'No recent changes.',
  notices: changes,
  mayUndo,
})}
${noticesSection(frame, session, {
  id: 'failures',
  heading: 'What needs attention',
  hint: 'Mail that could not be sent, lost domains, and payments that do not match.',
  empty: 'No recent failures.',
  notices: failures,
  mayUndo: false,
})}`;
  return {
    title: cards.length === 0 ? 'Approvals' : `(${cards.length}${more ? '+' : ''}) Approvals`,
    content,
    live: '/approvals',
  };
}

export const ageWords = ({ ageSeconds }: Pick<Inbox, 'ageSeconds'>): Html | false =>
  ageSeconds > 0 && html`<p class="alert">This page may be up to ${ageSeconds} seconds out of date.</p>`;

export function inboxTabs({ root }: PageFrame, here: 'waiting' | 'decided'): Html {
  const tab = (name: typeof here, path: string, words: string) =>
    html`<a href="${root}${path}"${name === here && html` aria-current="page"`}>${words}</a>`;
  return html`<nav class="tabs" aria-label="Approvals">${tab('waiting', '/approvals', 'Waiting')} ${tab('decided', '/approvals?show=decided', 'Decided')}</nav>`;
}
