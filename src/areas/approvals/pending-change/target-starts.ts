import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { RunBy } from '../../../kernel/actors/run-by.js';
import type { Target } from '../../../kernel/callers/target.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { EventTrigger } from '../../account-events/event-trigger/event-trigger.record.js';
import type { Mailhook } from '../../triggers/mailhook/mailhook.record.js';
import type { Schedule } from '../../triggers/schedule/schedule.record.js';
import type { Webhook } from '../../triggers/webhook/webhook.record.js';
import type { CardStart } from './card-context.api.js';

/** Maximum number of names in a sentence. Further ones are only counted. */
const mostNames = 10;

/**
 * Describes, for a card (a change that waits for approval), the triggers of its target and who may run it. Does not
 * reveal links or addresses.
 */
@Injectable()
export class CardStarts {
  constructor(private readonly reads: Reads) {}

  async webhooks(workspaceId: string, target: Target): Promise<readonly CardStart[]> {
    return (await this.triggersOf<Webhook>(workspaceId, 'webhooks', target)).map(({ id, isActive, verification }) => {
      const checked =
        verification === null ? 'anyone who has its link' : 'anyone who has its link and signs the request';
      return { kind: 'webhook', id, isActive, words: `A webhook, for ${checked}` };
    });
  }

  async schedules(workspaceId: string, target: Target): Promise<readonly CardStart[]> {
    return (await this.triggersOf<Schedule>(workspaceId, 'schedules', target)).map(
      ({ id, isActive, name, cronExpression, timezone }) => {
        const words = `A schedule${name === undefined ? '' : ` '${name}'`}: ${cronExpression} (${timezone})`;
        return { kind: 'schedule', id, isActive, words };
      },
    );
  }

  async mailhooks(workspaceId: string, target: Target): Promise<readonly CardStart[]> {
    return (await this.triggersOf<Mailhook>(workspaceId, 'mailhooks', target)).map(({ id, isActive, name }) => {
      return { kind: 'mailhook', id, isActive, words: `Mail to the mailhook '${name}'` };
    });
  }

  async eventTriggers(workspaceId: string, target: Target): Promise<readonly CardStart[]> {
    return (await this.triggersOf<EventTrigger>(workspaceId, 'eventTriggers', target)).map(
      ({ id, isActive, name, event }) => {
        return { kind: 'event', id, isActive, words: `The event ${event}, by the trigger '${name}'` };
      },
    );
  }

  /**
   * Describes who may run a function.
   * @param functions name of the read model that contains the calling functions
   */
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

  private async triggersOf<Trigger extends Document & { readonly isActive: boolean }>(
    workspaceId: string,
    collection: string,
    { kind, ref }: Target,
  ): Promise<readonly Trigger[]> {
    const targetKind = collection === 'eventTriggers' && kind === 'specialist' ? 'agent' : kind;
    const where = { targetRef: ref, targetKind };
    return this.reads.find<Trigger>(workspaceId, collection, { where, sort: [['createdAt', 'asc']] });
  }

  /** Returns the quoted names, or the ids if the records were deleted. */
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
