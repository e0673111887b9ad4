import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Environment } from '../../../config/environment.js';
import { LeaseKeeper, schedulerDuty } from '../../../engine/lease-keeper.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type InboundEmail, rawMails } from './inbound-email.record.js';
import { InboundForgetting } from './inbound-forgetting.api.js';

const hourMs = 3_600_000;
/** Mail is removed before the runs that it started: how a run ended is read from the run journal, by a rebuild too. */
const soonerMs = 2 * hourMs;
const mailhooksAtOnce = 100;

/** Removes mail past retention, including the raw mail. */
@Injectable()
export class InboundRetention {
  constructor(
    private readonly store: ReadStore,
    private readonly forgetting: InboundForgetting,
    private readonly blobs: Blobs,
    private readonly clock: Clock,
    private readonly environment: Environment,
    private readonly keeper: LeaseKeeper,
  ) {}

  @Interval('inbound-retention', hourMs)
  async hourly(): Promise<void> {
    if (this.keeper.holds(schedulerDuty.name)) await this.sweep();
  }

  async sweep(): Promise<void> {
    const before = this.clock.now() - this.environment.runRetentionDays * 24 * hourMs + soonerMs;
    const cutoff = new Date(before).toISOString();
    const done = new Set<string>();
    for (let round = 0; round < mailhooksAtOnce; round += 1) {
      const [old] = await this.store.find<InboundEmail>('inboundEmails', {
        where: { receivedAt: { lt: cutoff } },
        sort: [['receivedAt', 'asc']],
        limit: 1,
      });
      if (old === undefined || done.has(old.mailhookId)) break;
      done.add(old.mailhookId);
      await this.forgetting.old(old.workspaceId, old.mailhookId, cutoff);
    }
    // This also deletes raw mail that was stored but never confirmed to its sender.
    await this.blobs.destroyAll(rawMails, { before });
  }
}
