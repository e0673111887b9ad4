import type { ChangedLinesShape } from '../../../areas/audit/reading/audit-answers.api.js';
import type { Actor } from '../../../kernel/event/event.js';
import { type Html, html, marked, markedLines } from '../html.js';
import { timeWords } from '../labels.js';

export interface ShownEvent {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly actor: Actor;
  readonly approvedBy?: Actor;
  readonly reason?: string;
  readonly command: string;
  readonly resource: { readonly kind: string; readonly id: string };
  readonly summary?: string;
  readonly lines?: readonly ChangedLinesShape[];
  readonly undoneBy?: { readonly position: number; readonly at: string; readonly by: Actor };
}

export function typeInWords(type: string): string {
  const words = type
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

export const auditPath = (root: string, ...parts: readonly (string | number)[]): string =>
  `${root}/audit${parts.map((part) => `/${encodeURIComponent(part)}`).join('')}`;

export const approverShown = ({ approvedBy, reason }: Pick<ShownEvent, 'approvedBy' | 'reason'>): Html =>
  html`${approvedBy && html`, approved by ${actorShown(approvedBy)}`}${reason && html` (“${marked(reason)}”)`}`;

export const undoneShown = (root: string, { undoneBy }: Pick<ShownEvent, 'undoneBy'>): Html =>
  html`${undoneBy && html`<span class="status">Undone</span> by ${actorShown(undoneBy.by)}, ${momentWords(undoneBy.at)}: <a href="${auditPath(root, 'events', undoneBy.position)}">the event that undid it</a>`}`;

export function actorShown({ kind, name, personBehind }: Actor): Html {
  const behind = personBehind && html` for <bdi>${marked(personBehind.name)}</bdi>`;
  return html`<bdi>${marked(name)}</bdi>${kind === 'person' ? '' : html` (${kind}${behind})`}`;
}

export const resourceLink = (root: string, { kind, id }: ShownEvent['resource']): Html =>
  html`<a href="${auditPath(root, 'resources', kind, id)}">${kind} <code>${marked(id)}</code></a>`;

export const markedEventWords = ({ summary, type }: ShownEvent): Html => marked(summary ?? typeInWords(type));

const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

export const clockWords = (iso: string): Html =>
  html`<time datetime="${iso}">${clock.format(new Date(iso))} UTC</time>`;

export const momentWords = (iso: string | null): Html => (iso === null ? html`never` : timeWords(iso));

export function jsonShown(title: string, value: unknown): Html {
  const text = JSON.stringify(value ?? null, undefined, 2);
  return html`<details${text.length < 4_000 && html` open`}><summary>${title}</summary><pre tabindex="0">${markedLines(text)}</pre></details>`;
}
