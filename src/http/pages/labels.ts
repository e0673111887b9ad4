import type { CardActor, PendingChangeCard } from '../../engine/approvals/pending-changes.js';
import { type Html, html, marked } from './html.js';

const paths: Readonly<Record<string, string>> = {
  code: 'Code',
  grants: 'What it can access',
  accessRules: 'Who can start it',
  toolSpec: 'Its description as a tool',
  timeout: 'Maximum run time, in milliseconds',
  maxRetries: 'Maximum number of retries after a failure',
  capabilities: 'Powers',
  identityMode: 'On whose behalf it acts for pages',
  secrets: 'Secrets it can use',
};

export const pathWords = (path: string): string => (Object.hasOwn(paths, path) ? (paths[path] ?? path) : path);

const meanings: Readonly<Record<string, string>> = {
  'capabilities/service': 'Full data access: every row of the sites it has access to',
  'capabilities/email': 'sends mail',
  'capabilities/env': 'reads and writes settings',
  'capabilities/users': 'reads and changes app users',
  'capabilities/entitlements': 'grants and revokes entitlements',
  'identityMode/workspace': 'acts as the workspace, on every row of the sites it has access to',
  'identityMode/as_set_up': 'follows the data rules for the visitor of the page',
};

export const meaningOf = (path: string, value: string): string | undefined =>
  Object.hasOwn(meanings, `${path}/${value}`) ? meanings[`${path}/${value}`] : undefined;

export const statusWords: Readonly<Record<PendingChangeCard['status'], string>> = {
  pending: 'Waiting',
  applied: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
  replaced: 'Replaced',
  failed: 'Not applied',
};

const kinds: Readonly<Record<string, string>> = {
  agent: 'AI agent',
  automation: 'automation',
  flow: 'flow',
  connection: 'connected client',
};

interface ShownActor {
  readonly kind: string;
  readonly name: string;
  readonly personBehind?: CardActor['personBehind'] | undefined;
}

export function actorWords({ kind, name, personBehind }: ShownActor): Html {
  const what = Object.hasOwn(kinds, kind) ? html` (${kinds[kind]}${behind(personBehind)})` : html``;
  return html`<bdi>${marked(name)}</bdi>${what}`;
}

const behind = (person: CardActor['personBehind']) => person && html` of <bdi>${marked(person.name)}</bdi>`;

const days = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

export const timeWords = (iso: string): Html => html`<time datetime="${iso}">${days.format(new Date(iso))} UTC</time>`;
