import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { refuse } from '../campaigns.refusals.js';
import { Suppressions } from './suppressions.api.js';

/** The subscription that a link ends. */
interface Subscription {
  readonly campaignId: string;
  readonly userId: string;
  /**
   * The id under which the address is suppressed, so that the link also works if the user was deleted or has another
   * address now.
   */
  readonly suppressionId: string;
}

interface Site {
  readonly workspaceId: string;
  readonly id: string;
}

const form = /^([A-Za-z0-9_]{1,64})\.([A-Za-z0-9_]{1,64})\.([A-Za-z0-9_]{1,64})\.([A-Za-z0-9_-]{20,100})$/;

/**
 * Links in mails of campaigns with which recipients unsubscribe. They are signed, never expire and contain no address.
 */
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
   * Throws the same refusal for every invalid token, including a token of another site.
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
    // Unsubscribing is not counted against the visitors' quota, so it always works.
    const call = this.calls.once(site.workspaceId, systemActor('unsubscribing'), 'site/unsubscribe');
    const cause = { reason: 'unsubscribed', campaignId } as const;
    await this.suppressions.add(call, site.id, suppressionId, userId, cause);
  }

  private signatureOf({ workspaceId, id }: Site, { campaignId, userId, suppressionId }: Subscription): string {
    return this.personal.keyed(workspaceId, 'unsubscribe', `${id}/${campaignId}/${userId}/${suppressionId}`);
  }
}
