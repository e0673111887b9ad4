import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { html } from '../html.js';
import type { HtmlPage, PageFrame } from '../layout.js';
import { decidedItem } from './inbox-cards.js';
import { ageWords, inboxTabs } from './inbox-page.js';

export interface Decided {
  readonly cards: readonly PendingChangeCard[];
  readonly more: boolean;
  /** Age of the read model in seconds. */
  readonly ageSeconds: number;
}

export function decidedPage(frame: PageFrame, decided: Decided): HtmlPage {
  const { cards, more } = decided;
  const oldest = cards.at(-1);
  const content = html`<h1>Approvals</h1>
${inboxTabs(frame, 'decided')}
${ageWords(decided)}
<section aria-labelledby="decided">
<h2 id="decided">Decided</h2>
<ul class="cards" data-list="decided">${cards.map((card) => decidedItem(frame, card))}</ul>
<p class="empty">No decisions yet.</p>
${more && oldest && html`<p><a href="${frame.root}/approvals?show=decided&amp;before=${oldest.id}">Older approvals</a></p>`}
</section>`;
  return { title: 'Decided approvals', content, live: '/approvals' };
}
