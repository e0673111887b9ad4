import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { refuse } from '../campaigns.refusals.js';
import { Suppressions } from './suppressions.api.js';

interface Subscription {
  readonly campaignId: string;
  readonly userId: string;
  /** With this id, the link works even after the user was deleted or has changed the email. */
  readonly suppressionId: string;
}

interface Site {
  readonly workspaceId: string;
  readonly id: string;
}

const form = /^([A-Za-z0-9_]{1,64})\.([A-Za-z0-9_]{1,64})\.([A-Za-z0-9_]{1,64})\.([A-Za-z0-9_-]{20,100})$/;

/** The links are signed, do not expire and do not contain the email. */
@Injectable()
export class Unsubscribing {
  constructor(
    private readonly environment: Environment,
    private readonly personal: PersonalData,
    private readonly suppressions: Suppressions,
    private readonly calls: Calls,
  ) {}

  linkOf(site: Site, subscription: Subscription): string {
    const { campaignId, userId, suppressionId } = subscription;
    const token = `${campaignId}.${userId}.${suppressionId}.${this.signatureOf(site, subscription)}`;
    return `${this.environment.baseUrl}/api/app/${site.id}/email/unsubscribe/${token}`;
  }

  /**
   * All invalid tokens, including those of other sites, are refused in the same way.
   * @throws Refusal unsubscribe-link-invalid
   */
  read(site: Site, token: string): Subscription {
    const [, campaignId, userId, suppressionId, signature] = form.exec(token) ?? [];
    if (campaignId === undefined || userId === undefined || suppressionId === undefined || signature === undefined) {
      return refuse('unsubscribe-link-invalid');
    }
    const subscription = { campaignId, userId, suppressionId };
    const [sent, right] = [Buffer.from(signature), Buffer.from(this.signatureOf(site, subscription))];
    if (sent.length !== right.length || !timingSafeEqual(sent, right)) refuse('unsubscribe-link-invalid');
    return subscription;
  }

  /**
   * Idempotent.
   * @throws Refusal unsubscribe-link-invalid
   */
  async unsubscribe(site: Site, token: string): Promise<void> {
    const { campaignId, userId, suppressionId } = this.read(site, token);
    // This is an internal call and not a visitor's, so that no visitors' quota can prevent it.
    const call = this.calls.once(site.workspaceId, systemActor('unsubscribing'), 'site/unsubscribe');
    const cause = { reason: 'unsubscribed', campaignId } as const;
    await this.suppressions.add(call, site.id, suppressionId, userId, cause);
  }

  private signatureOf({ workspaceId, id }: Site, { campaignId, userId, suppressionId }: Subscription): string {
    return this.personal.keyed(workspaceId, 'unsubscribe', `${id}/${campaignId}/${userId}/${suppressionId}`);
  }
}
