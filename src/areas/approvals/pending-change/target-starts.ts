import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { RunBy } from '../../../kernel/actors/run-by.js';
import { type TriggerKind, triggerKinds } from '../../../kernel/callers/starter.js';
import type { Target } from '../../../kernel/callers/target.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { eventTriggers } from '../../account-events/event-trigger/event-trigger.record.js';
import { mailhooks } from '../../triggers/mailhook/mailhook.record.js';
import { schedules } from '../../triggers/schedule/schedule.record.js';
import { webhooks } from '../../triggers/webhook/webhook.record.js';
import type { CardStart } from './card-context.api.js';

type Trigger = Document & { readonly isActive: boolean };

function describedBy<Doc extends Trigger, Event extends DomainEvent>(
  { category, collection, shownBy }: RecordAggregate<Doc, Event>,
  words: (trigger: Doc) => string,
) {
  if (collection === undefined || shownBy === null)
    throw new Error(`Cards show triggers of the kind ${category}, so its declaration must set collection and shownBy.`);
  return { collection: collection.name, shownBy, words: words as (trigger: Trigger) => string };
}

const described: Readonly<Record<TriggerKind, ReturnType<typeof describedBy>>> = {
  webhook: describedBy(webhooks, ({ verification }) =>
    verification === null
      ? 'A webhook, for anyone who has its link'
      : 'A webhook, for anyone who has its link and signs the request',
  ),
  schedule: describedBy(
    schedules,
    ({ name, cronExpression, timezone }) =>
      `A schedule${name === undefined ? '' : ` '${name}'`}: ${cronExpression} (${timezone})`,
  ),
  mailhook: describedBy(mailhooks, ({ name }) => `Mail to the mailhook '${name}'`),
  event: describedBy(eventTriggers, ({ name, event }) => `The event ${event}, by the trigger '${name}'`),
};

const mostNames = 10;

/**
 * Lists the triggers, pages, functions, agents and members that can start the target of a card (a pending change). Does
 * not reveal links or addresses of triggers.
 */
@Injectable()
export class CardStarts {
  constructor(private readonly reads: Reads) {}

  /**
   * Describes only triggers of those kinds that the caller may see.
   * @param schedules operation that shows the schedules of this target
   */
  async triggers(
    workspaceId: string,
    target: Target,
    mayUse: (operation: string) => Promise<boolean>,
    schedules: string,
  ): Promise<readonly CardStart[]> {
    const shown = triggerKinds.map(async (kind) => {
      const { collection, shownBy, words } = described[kind];
      if (!(await mayUse(kind === 'schedule' ? schedules : shownBy))) return [];
      const found = await this.triggersOf(workspaceId, collection, target);
      return found.map((trigger) => ({ kind, id: trigger.id, isActive: trigger.isActive, words: words(trigger) }));
    });
    return (await Promise.all(shown)).flat();
  }

  async runBy(workspaceId: string, runBy: RunBy | null, functions: string): Promise<readonly CardStart[]> {
    const { pages = false, functions: callers = [], agents = [], members = 'all' } = runBy ?? {};
    const named = (collection: string, ids: readonly string[]) => this.names(workspaceId, collection, ids);
    const starts: [kind: CardStart['kind'], words: string | undefined][] = [
      ['pages', await listed(pages, 'Visitors on any page', 'Visitors on the pages', (ids) => named('pages', ids))],
      ['functions', await listed(callers, 'Any function', 'The functions', (ids) => named(functions, ids))],
      ['agents', await listed(agents, 'Any AI agent', 'The AI agents', (ids) => named('agents', ids))],
      ['members', await this.members(workspaceId, members)],
    ];
    return starts.flatMap(([kind, words]) => (words === undefined ? [] : [{ kind, id: null, isActive: true, words }]));
  }

  private async members(workspaceId: string, members: NonNullable<RunBy['members']>): Promise<string | undefined> {
    if (members === 'all') return 'Every member who may run functions';
    if (members === 'admins') return 'The Owner and Admins';
    return listed(members.people, '', 'The members', (ids) => this.names(workspaceId, 'members', ids));
  }

  private async triggersOf(
    workspaceId: string,
    collection: string,
    { kind, ref }: Target,
  ): Promise<readonly Trigger[]> {
    const targetKind = collection === eventTriggers.collection.name && kind === 'specialist' ? 'agent' : kind;
    const where = { targetRef: ref, targetKind };
    return this.reads.find<Trigger>(workspaceId, collection, { where, sort: [['createdAt', 'asc']] });
  }

  private async names(workspaceId: string, collection: string, ids: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(
      ids.map((id) => this.reads.get<Document & { readonly name: string }>(workspaceId, collection, id)),
    );
    return ids.map((id, at) => `'${found[at]?.name ?? id}'`);
  }
}

async function listed(
  allowed: boolean | readonly string[] | 'any',
  any: string,
  these: string,
  names: (ids: readonly string[]) => Promise<readonly string[]>,
): Promise<string | undefined> {
  if (allowed === true || allowed === 'any') return any;
  if (allowed === false || allowed.length === 0) return undefined;
  const more = allowed.length - mostNames;
  const named = (await names(allowed.slice(0, mostNames))).join(', ');
  return `${these} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}
