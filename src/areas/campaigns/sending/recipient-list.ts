import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { type AppUser, appUsers } from '../../app-users/app-user/app-user.record.js';
import { type CampaignBatch, type RecipientStatus, recipientStatuses } from './campaign-batch.record.js';

export const CampaignRecipient = shapeOf('CampaignRecipient', {
  id: { type: 'string', description: 'Id of the entry, for `before`.' },
  userId: { type: 'string' },
  email: {
    type: 'string',
    nullable: true,
    description: "The user's current email address. null if the user was deleted.",
  },
  name: { type: 'string', nullable: true },
  status: { type: 'string', enum: recipientStatuses },
  reason: {
    type: 'string',
    nullable: true,
    description: 'Why the mail was not sent. null if it was sent or is still to be sent.',
  },
  at: {
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the outcome. null if the mail is still to be sent.',
  },
});

interface RecipientQuery {
  readonly status: RecipientStatus | undefined;
  readonly before: string | undefined;
  readonly limit: number;
}

const page = 10;

/** Batches contain only ids, so the name and email of a deleted user are not listed. */
@Injectable()
export class RecipientList {
  constructor(private readonly reads: Reads) {}

  /**
   * Lists recipients in reverse order of the audience.
   * @throws Refusal invalid-input
   */
  async of(workspaceId: string, campaignId: string, { status, before, limit }: RecipientQuery) {
    const start = before === undefined ? undefined : positionOf(before);
    const found: (ReturnType<typeof recipientOf> & { readonly userId: string })[] = [];
    let below = start === undefined ? undefined : start.number + 1;
    while (found.length < limit) {
      const batches = await this.batches(workspaceId, campaignId, status, below);
      for (const batch of batches) {
        const last = batch.number === start?.number ? start.at : batch.userIds.length;
        for (let at = last - 1; at >= 0 && found.length < limit; at -= 1) {
          const one = recipientOf(batch, at);
          if (status === undefined || one.status === status) found.push(one);
        }
      }
      if (batches.length < page) break;
      below = batches.at(-1)?.number;
    }
    const users = await this.users(
      workspaceId,
      found.map(({ userId }) => userId),
    );
    return found.map((one) => {
      const user = users.get(one.userId);
      return { ...one, email: user?.email ?? null, name: user?.name ?? null };
    });
  }

  private batches(
    workspaceId: string,
    campaignId: string,
    status: RecipientStatus | undefined,
    below: number | undefined,
  ): Promise<readonly CampaignBatch[]> {
    return this.reads.find<CampaignBatch>(workspaceId, 'campaignBatches', {
      where: {
        campaignId,
        ...(below !== undefined && { number: { lt: below } }),
        ...(status !== undefined && { [status]: { gt: 0 } }),
      },
      sort: [['number', 'desc']],
      limit: page,
    });
  }

  private async users(workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, AppUser>> {
    const found = await this.reads.find<AppUser>(workspaceId, appUsers.collection.name, { where: { id: { in: ids } } });
    return new Map(found.map((user) => [user.id, user]));
  }
}

function recipientOf({ number, userIds, settled }: CampaignBatch, at: number) {
  const outcome = settled.find((one) => one.at === at);
  return {
    id: `${number}.${at}`,
    userId: userIds[at] ?? '',
    status: outcome?.status ?? ('waiting' as const),
    reason: outcome?.reason ?? null,
    at: outcome?.on ?? null,
  };
}

function positionOf(before: string): { readonly number: number; readonly at: number } {
  const [, number, at] = /^(\d{1,9})\.(\d{1,3})$/.exec(before) ?? [];
  if (number === undefined || at === undefined) {
    return refuseInput([{ path: 'before', message: 'must be the id of a recipient that this operation returned' }]);
  }
  return { number: Number(number), at: Number(at) };
}
