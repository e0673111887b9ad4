import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import type { Message } from '../../../ports/messages.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import type { SiteMailInHand } from './site-mail.record.js';
import { projectOf, siteMailMessage } from './site-mail-requests.api.js';

/** Finds mail of a site that is to be sent, where its messages are not at hand. */
@Injectable()
export class QueuedSiteMails {
  constructor(
    private readonly store: ReadStore,
    private readonly clock: Clock,
  ) {}

  /** In the order in which it became due. What the read model does not show yet is handed over by the next sweep. */
  async next(key: string, limit: number): Promise<readonly Message[]> {
    const due = await this.store.find<SiteMailInHand>('siteMails', {
      where: {
        ...projectOf(key),
        status: { in: ['accepted', 'delayed'] },
        dueAt: { lte: new Date(this.clock.now()).toISOString() },
      },
      sort: [['dueAt', 'asc']],
      limit,
    });
    return due.map(siteMailMessage);
  }
}
