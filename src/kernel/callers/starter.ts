/**
 * `before` is written before the trigger's name, or alone for a webhook, which has no name. `short` is written alone,
 * for runs of a site's functions.
 */
const triggerWords = {
  webhook: { before: 'Webhook', short: 'Webhook' },
  schedule: { before: 'Schedule', short: 'Schedule' },
  mailhook: { before: 'Mailhook', short: 'Mailhook' },
  event: { before: 'Event trigger', short: 'Event' },
};
export type TriggerKind = keyof typeof triggerWords;
export const triggerKinds = Object.keys(triggerWords) as readonly TriggerKind[];
export const isTriggerKind = (kind: string): kind is TriggerKind => Object.hasOwn(triggerWords, kind);

/**
 * Who or what started a run. A function's code sees it as `ctx.run.startedBy`, with its own words for some kinds. It is
 * information only and grants no rights.
 */
export type Starter =
  | {
      readonly kind: 'member';
      readonly id: string;
      readonly name: string;
      readonly role: string;
      readonly email: string;
    }
  | {
      readonly kind: 'agent';
      readonly id: string;
      readonly name: string;
      readonly person: { readonly id: string; readonly name: string };
    }
  | { readonly kind: 'automation' | 'flow'; readonly id: string; readonly name: string }
  | { readonly kind: 'webhook'; readonly id: string }
  | { readonly kind: Exclude<TriggerKind, 'webhook'>; readonly id: string; readonly name: string }
  /** Only the id is included, because all other data about the user is personal. */
  | { readonly kind: 'user'; readonly id: string; readonly projectId: string; readonly pageId: string | null }
  /** `id` is the id of the site. */
  | { readonly kind: 'visitor'; readonly id: string; readonly pageId: string | null }
  | { readonly kind: 'function'; readonly id: string; readonly name: string; readonly behind: Starter };

type TriggerStarter = Extract<Starter, { readonly kind: TriggerKind }>;
export const isTrigger = (starter: Starter): starter is TriggerStarter => isTriggerKind(starter.kind);

/** Defined in the Sites API (Run record). */
export const runSources = ['schedule', 'event', 'manual', 'page', 'api', 'agent', 'method', 'gate'] as const;
export type RunSource = (typeof runSources)[number];

export function inWords(starter: Starter): string {
  if (isTrigger(starter)) {
    const { before } = triggerWords[starter.kind];
    return 'name' in starter ? `${before} ${starter.name}` : before;
  }
  switch (starter.kind) {
    case 'member':
      return starter.name;
    case 'agent':
      return `AI agent ${starter.name}`;
    case 'automation':
      return `Automation ${starter.name}`;
    case 'flow':
      return `Flow ${starter.name}`;
    case 'function':
      return 'Another function';
    case 'user':
      return 'A site user';
    case 'visitor':
      return 'A visitor';
  }
}

/** Returns the `startedBy` of a run of a site's function (Sites API, Run record). */
export function inShortWords(starter: Starter): string {
  if (isTrigger(starter)) return triggerWords[starter.kind].short;
  switch (starter.kind) {
    case 'member':
    case 'automation':
      return starter.name;
    case 'agent':
      return `AI agent ${starter.name}`;
    case 'flow':
      return 'Journey';
    case 'function':
      return 'Another function';
    case 'user':
      return 'A site user';
    case 'visitor':
      return 'A visitor';
  }
}

export const isVisitor = ({ kind }: Starter): boolean => kind === 'visitor' || kind === 'user';

export function siteVisited(starter: Starter): string | undefined {
  if (starter.kind === 'function') return siteVisited(starter.behind);
  if (starter.kind === 'user') return starter.projectId;
  return starter.kind === 'visitor' ? starter.id : undefined;
}

/** True for starters whose runs may be retried after a failure. */
export const isAutomation = (starter: Starter): boolean =>
  isTrigger(starter) || starter.kind === 'automation' || starter.kind === 'flow';

export const triggerOf = (starter: Starter): string | undefined => (isTrigger(starter) ? starter.id : undefined);
