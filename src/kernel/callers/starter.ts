/** The starter of a run, as code sees it in `ctx.run.startedBy`. It is information only and grants no rights. */
export type Starter =
  | {
      readonly kind: 'member';
      readonly id: string;
      readonly name: string;
      readonly role: string;
      readonly email: string;
    }
  | { readonly kind: 'agent'; readonly id: string; readonly name: string; readonly person: Person }
  | { readonly kind: 'automation' | 'flow'; readonly id: string; readonly name: string }
  | { readonly kind: 'webhook'; readonly id: string }
  /** Id and name of the trigger. */
  | { readonly kind: 'schedule' | 'mailhook' | 'event'; readonly id: string; readonly name: string }
  /** A site's app user. Only the id is included, because all other data about the user is personal. */
  | { readonly kind: 'user'; readonly id: string; readonly projectId: string; readonly pageId: string | null }
  /** A visitor who is not signed in. `id` is the id of the site. */
  | { readonly kind: 'visitor'; readonly id: string; readonly pageId: string | null }
  | { readonly kind: 'function'; readonly id: string; readonly name: string; readonly behind: Starter };

interface Person {
  readonly id: string;
  readonly name: string;
}

/** Ways in which a run was started (Sites API, Run record). */
export const runSources = ['schedule', 'event', 'manual', 'page', 'api', 'agent', 'method', 'gate'] as const;
export type RunSource = (typeof runSources)[number];

/** Describes the starter in words, for `startedBy` of a run record. */
export function inWords(starter: Starter): string {
  switch (starter.kind) {
    case 'member':
      return starter.name;
    case 'agent':
      return `AI agent ${starter.name}`;
    case 'automation':
      return `Automation ${starter.name}`;
    case 'flow':
      return `Flow ${starter.name}`;
    case 'webhook':
      return 'Webhook';
    case 'schedule':
      return `Schedule ${starter.name}`;
    case 'mailhook':
      return `Mailhook ${starter.name}`;
    case 'event':
      return `Event trigger ${starter.name}`;
    case 'function':
      return 'Another function';
    case 'user':
      return 'A site user';
    case 'visitor':
      return 'A visitor';
  }
}

/** Describes the starter in words, for `startedBy` of a run of a site's function (Sites API, Run record). */
export function inShortWords(starter: Starter): string {
  switch (starter.kind) {
    case 'member':
    case 'automation':
      return starter.name;
    case 'agent':
      return `AI agent ${starter.name}`;
    case 'flow':
      return 'Journey';
    case 'webhook':
      return 'Webhook';
    case 'schedule':
      return 'Schedule';
    case 'mailhook':
      return 'Mailhook';
    case 'event':
      return 'Event';
    case 'function':
      return 'Another function';
    case 'user':
      return 'A site user';
    case 'visitor':
      return 'A visitor';
  }
}

/** Whether a visitor of a site, signed in or not, started the run. */
export const isVisitor = ({ kind }: Starter): boolean => kind === 'visitor' || kind === 'user';

/** Returns the id of the site whose visitor is at the beginning of the call chain, or undefined if there is none. */
export function siteVisited(starter: Starter): string | undefined {
  if (starter.kind === 'function') return siteVisited(starter.behind);
  if (starter.kind === 'user') return starter.projectId;
  return starter.kind === 'visitor' ? starter.id : undefined;
}

/** Whether a trigger, an automation or a flow started the run. Such runs may be retried after a failure. */
export function isAutomation(starter: Starter): boolean {
  switch (starter.kind) {
    case 'webhook':
    case 'schedule':
    case 'mailhook':
    case 'event':
    case 'automation':
    case 'flow':
      return true;
    case 'member':
    case 'agent':
    case 'function':
    case 'user':
    case 'visitor':
      return false;
  }
}

/** Returns the id of the trigger that started the run. */
export function triggerOf(starter: Starter): string | undefined {
  switch (starter.kind) {
    case 'webhook':
    case 'schedule':
    case 'mailhook':
    case 'event':
      return starter.id;
    case 'member':
    case 'agent':
    case 'automation':
    case 'flow':
    case 'function':
    case 'user':
    case 'visitor':
      return undefined;
  }
}
