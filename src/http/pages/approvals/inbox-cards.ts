import type { ListedCard } from '../../../areas/approvals/pending-change/card-answers.api.js';
import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { type Html, html, marked } from '../html.js';
import { actorWords, statusWords, timeWords } from '../labels.js';
import type { PageFrame } from '../layout.js';
import { isHighRisk, risksView } from './risk-marks.js';

export type InboxCard = PendingChangeCard & Pick<ListedCard, 'risks'>;

export function waitingList(frame: PageFrame, cards: readonly InboxCard[]): readonly Html[] {
  const groups = Map.groupBy(cards, ({ target }) => `${target.kind} ${target.id}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [groupHeading(first), ...group.map((card) => waitingItem(frame, card))];
  });
}

function groupHeading({ target: { kind, id, name } }: InboxCard): Html {
  return html`<li class="group" data-id="of-${kind}-${id}" data-state="${name}"><h3>${kindWords(kind)} <bdi>${marked(name)}</bdi></h3></li>
`;
}

function waitingItem(frame: PageFrame, card: InboxCard): Html {
  const { id, status, risks, requestedBy, createdAt, expiresAt } = card;
  return html`<li class="card${isHighRisk(risks) && ' high'}" data-id="${id}" data-state="${status}">
${title(frame, card)}
${risksView(risks)}
<p class="meta"><span>Asked by ${actorWords(requestedBy)}</span> <span>on ${timeWords(createdAt)}</span> <span>waits until ${timeWords(expiresAt)}</span></p>
</li>
`;
}

export function decidedItem(frame: PageFrame, card: PendingChangeCard): Html {
  const { id, status, requestedBy, decidedBy, decidedAt, createdAt } = card;
  return html`<li class="card" data-id="${id}" data-state="${status}">
${title(frame, card)}
<p class="meta"><span><span class="status">${statusWords[status]}</span>${decidedBy && html` by ${actorWords(decidedBy)}`}${decidedAt !== undefined && html` on ${timeWords(decidedAt)}`}</span> <span>asked by ${actorWords(requestedBy)}</span> <span>on ${timeWords(createdAt)}</span></p>
</li>
`;
}

const title = ({ root }: PageFrame, { id, summary }: PendingChangeCard): Html =>
  html`<h4><a href="${root}/approvals/${id}">${marked(summary)}</a></h4>`;

function kindWords(kind: string): string {
  const words = kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
