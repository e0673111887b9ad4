import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { sold } from './offer.js';
import { type Offer, offerId, offers } from './offer.record.js';

@Injectable()
export class Offers {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  /** @throws Refusal offer-not-found, offer-inactive */
  async termsOf(workspaceId: string, projectId: string, key: string): Promise<Offer> {
    return sold(await this.runner.find(offers, workspaceId, offerId({ projectId, key })));
  }

  /** Oldest first. */
  active(workspaceId: string, projectId: string): Promise<readonly Offer[]> {
    return this.find(workspaceId, { projectId, isActive: true });
  }

  all(workspaceId: string, projectId: string): Promise<readonly Offer[]> {
    return this.find(workspaceId, { projectId });
  }

  private find(workspaceId: string, where: Readonly<Record<string, string | boolean>>): Promise<readonly Offer[]> {
    return this.reads.find<Offer>(workspaceId, 'offers', { where, sort: [['createdAt', 'asc']] });
  }
}
