import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../triggers.refusals.js';
import type { SignatureScheme, Webhook, WebhookEvent, WebhookVerification } from './webhook.record.js';

type Secrets = Pick<WebhookVerification, 'secretId' | 'previous'>;

/** A change of secrets: a new one is added, and the old one is kept beside it or removed. */
export interface SecretChange {
  /** The id of the new secret, already in the vault. Undefined: the current secret stays. */
  readonly secretId: string | undefined;
  /** The previous secret is no longer accepted. */
  readonly removePrevious: boolean;
  /** When the previous secret ends. Null: when it is removed. Undefined: unchanged. */
  readonly previousUntil: string | null | undefined;
}

/** Whether there is no secret of this scheme yet. Secrets of another scheme cannot be used for it. */
export function beginsAnew({ verification }: Pick<Webhook, 'verification'>, to: SignatureScheme['scheme']): boolean {
  return verification?.signature.scheme !== to;
}

/**
 * A new secret makes the current one the previous one. A change of scheme removes all old secrets. Sending the current
 * state does nothing. `now` is milliseconds since 1970.
 * @throws Refusal webhook-secrets-full when there are already two, invalid-input
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

/** From then on anyone who knows the URL may deliver. */
export function removeVerification({ verification }: Webhook): readonly WebhookEvent[] {
  if (verification === null) return [];
  return [{ type: 'WebhookVerificationRemoved', data: { drops: secretIdsOf(verification) } }];
}

/** The verification, without a previous secret that has expired. */
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
  // The handler drew no new id because it saw a secret. Another call has removed that secret since.
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
