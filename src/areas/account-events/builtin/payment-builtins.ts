import type { RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { aboutAppUser, type Builtin } from './builtin-line.api.js';

const paymentWords = {
  pending: 'A payment for an offer of a site is waiting for a decision or for the money.',
  succeeded: 'A payment for an offer of a site succeeded, or a free offer was obtained.',
  rejected: 'A manual payment for an offer of a site was rejected.',
  failed: 'A payment for an offer of a site failed.',
  refunded: 'A payment for an offer of a site was refunded in part or in full, or is disputed.',
} as const;

export const paymentBuiltins: readonly Builtin[] = [
  payment('SitePaymentStarted', 'succeeded', isOf('method', 'free')),
  payment('SitePaymentStarted', 'pending', isOf('method', 'manual')),
  payment('SitePaymentApproved', 'succeeded'),
  payment('SitePaymentRejected', 'rejected'),
  payment('SitePaymentFailed', 'failed'),
  payment('SitePaymentHeardOf', 'pending', isOf('news', 'pending')),
  payment('SitePaymentHeardOf', 'succeeded', isOf('news', 'succeeded')),
  payment('SitePaymentHeardOf', 'failed', isOf('news', 'failed')),
  payment('SitePaymentHeardOf', 'refunded', isOf('news', 'refunded')),
];

function payment(on: string, event: keyof typeof paymentWords, when?: Builtin['when']): Builtin {
  return {
    on,
    name: `site.payment_${event}`,
    description: paymentWords[event],
    ...(when === undefined ? {} : { when }),
    subject: ({ data }) => ({ type: 'appUser', id: dataOf(data)['appUserId'] }),
    ofSite: aboutAppUser,
    properties: ({ projectId, appUserId, offerKey, amount, currency }, { stream }) => ({
      projectId,
      appUserId,
      paymentId: parseStream(stream).id,
      offerKey,
      amount,
      currency,
    }),
  };
}

function isOf(field: string, value: string) {
  return ({ data }: RecordedEvent) => dataOf(data)[field] === value;
}

const dataOf = (data: object): JsonObject => data as JsonObject;
