import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../engine/operation/validation.js';
import { refuse } from '../../../kernel/refusal.js';
import type { SignatureScheme, Webhook, WebhookEvent, WebhookVerification } from './webhook.record.js';

type Secrets = Pick<WebhookVerification, 'secretId' | 'previous'>;

/** What becomes of the secrets: a new one comes, and the one before stays beside it or goes. */
export interface SecretChange {
  /** Of the new secret, which lies in the vault by now; undefined: the one there is stays. */
  readonly secretId: string | undefined;
  /** The one before is accepted no more. */
  readonly removePrevious: boolean;
  /** When the one before ends, null: when it is taken out; undefined: as it is. */
  readonly previousUntil: string | null | undefined;
}

/** Whether there is no secret of this scheme: those of another are of no use to it. */
export function beginsAnew({ verification }: Pick<Webhook, 'verification'>, to: SignatureScheme['scheme']): boolean {
  return verification?.signature.scheme !== to;
}

/**
 * A new secret makes the one there was the previous one; with another scheme all there were go. Sent as it already is,
 * nothing happens. `now` is milliseconds since 1970.
 * @throws Refusal webhook-secrets-full when two are held already, invalid-input
 */
export function setVerification(
  webhook: Webhook,
  signature: SignatureScheme,
  change: SecretChange,
  now: number,
): readonly WebhookEvent[] {
  const held = beginsAnew(webhook, signature.scheme) ? null : lasting(webhook.verification, now);
  const verification = { signature, ...withEnd(secretsAfter(held, change), change.previousUntil) };
  if (isDeepStrictEqual(verification, webhook.verification)) return [];
  const kept = secretIdsOf(verification);
  const drops = secretIdsOf(webhook.verification).filter((id) => !kept.includes(id));
  return [{ type: 'WebhookVerificationSet', data: { ...verification, drops } }];
}

/** From now on whoever knows the URL may deliver. */
export function removeVerification({ verification }: Webhook): readonly WebhookEvent[] {
  if (verification === null) return [];
  return [{ type: 'WebhookVerificationRemoved', data: { drops: secretIdsOf(verification) } }];
}

/** The verification without a previous secret whose time is over. */
export function lasting(verification: WebhookVerification | null, now: number): WebhookVerification | null {
  const until = verification?.previous?.until ?? null;
  if (verification === null || until === null || Date.parse(until) > now) return verification;
  return { ...verification, previous: null };
}

export function secretIdsOf(held: Secrets | null): readonly string[] {
  if (held === null) return [];
  return held.previous === null ? [held.secretId] : [held.secretId, held.previous.secretId];
}

function secretsAfter(held: Secrets | null, { secretId, removePrevious }: SecretChange): Secrets {
  // Without a new one there was one to stay when the call looked: another call has taken it away since.
  if (held === null) return { secretId: secretId ?? refuse('too-much-contention'), previous: null };
  if (secretId === undefined) return removePrevious ? { ...held, previous: null } : held;
  if (removePrevious) return { secretId, previous: null };
  if (held.previous !== null) return refuse('webhook-secrets-full');
  return { secretId, previous: { secretId: held.secretId, until: null } };
}

function withEnd({ secretId, previous }: Secrets, until: string | null | undefined): Secrets {
  if (until === undefined) return { secretId, previous };
  if (previous !== null) return { secretId, previous: { ...previous, until } };
  return refuseInput([{ path: 'previousUntil', message: 'is the end of a previous secret, and there is none' }]);
}
