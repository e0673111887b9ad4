import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../triggers.refusals.js';
import type { SignatureScheme, Webhook, WebhookEvent, WebhookVerification } from './webhook.record.js';

type Secrets = Pick<WebhookVerification, 'secretId' | 'previous'>;

/** A change of secrets: it can add a new one, and remove or limit the previous one. */
export interface SecretChange {
  /** Id of the new secret, which is already in the vault. If undefined, the present secret remains. */
  readonly secretId: string | undefined;
  /** If true, only one secret is accepted from now on: the new one or, if there is none, the present one. */
  readonly removePrevious: boolean;
  /**
   * Expiry of the previous secret. `null` means that it does not expire by itself. If undefined, the expiry does not
   * change.
   */
  readonly previousUntil: string | null | undefined;
}

/** Whether the webhook has no secret of this scheme. Secrets of other schemes are ignored. */
export function isNewScheme({ verification }: Pick<Webhook, 'verification'>, to: SignatureScheme['scheme']): boolean {
  return verification?.signature.scheme !== to;
}

/**
 * Sets how deliveries are verified. If there is a new secret, the present one becomes the previous one, unless
 * `removePrevious` is true. A change of scheme removes all old secrets. Records nothing if nothing changes.
 * @param now milliseconds since 1970
 * @throws Refusal webhook-secrets-full if the new secret would be the third; too-much-contention; invalid-input
 */
export function setVerification(
  webhook: Webhook,
  signature: SignatureScheme,
  change: SecretChange,
  now: number,
): readonly WebhookEvent[] {
  const current = isNewScheme(webhook, signature.scheme) ? null : withoutExpired(webhook.verification, now);
  const verification = { signature, ...withEnd(secretsAfter(current, change), change.previousUntil) };
  if (isDeepStrictEqual(verification, webhook.verification)) return [];
  const remaining = secretIdsOf(verification);
  const drops = secretIdsOf(webhook.verification).filter((id) => !remaining.includes(id));
  return [{ type: 'WebhookVerificationSet', data: { ...verification, drops } }];
}

/** Removes the verification. After that, anyone who knows the URL can send deliveries. */
export function removeVerification({ verification }: Webhook): readonly WebhookEvent[] {
  if (verification === null) return [];
  return [{ type: 'WebhookVerificationRemoved', data: { drops: secretIdsOf(verification) } }];
}

/** Returns the verification without a previous secret that has expired. */
export function withoutExpired(verification: WebhookVerification | null, now: number): WebhookVerification | null {
  const until = verification?.previous?.until ?? null;
  if (verification === null || until === null || Date.parse(until) > now) return verification;
  return { ...verification, previous: null };
}

export function secretIdsOf(current: Secrets | null): readonly string[] {
  if (current === null) return [];
  return current.previous === null ? [current.secretId] : [current.secretId, current.previous.secretId];
}

function secretsAfter(current: Secrets | null, { secretId, removePrevious }: SecretChange): Secrets {
  // If there is no new secret either, the handler saw a present secret, but a concurrent call has removed it.
  if (current === null) return { secretId: secretId ?? refuse('too-much-contention'), previous: null };
  if (secretId === undefined) return removePrevious ? { ...current, previous: null } : current;
  if (removePrevious) return { secretId, previous: null };
  if (current.previous !== null) return refuse('webhook-secrets-full');
  return { secretId, previous: { secretId: current.secretId, until: null } };
}

function withEnd({ secretId, previous }: Secrets, until: string | null | undefined): Secrets {
  if (until === undefined) return { secretId, previous };
  if (previous !== null) return { secretId, previous: { ...previous, until } };
  return refuseInput([{ path: 'previousUntil', message: 'must not be sent: there is no previous secret' }]);
}
