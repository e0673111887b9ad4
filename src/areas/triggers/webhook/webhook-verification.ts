import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../triggers.refusals.js';
import type { SignatureScheme, Webhook, WebhookEvent, WebhookVerification } from './webhook.record.js';

type Secrets = Pick<WebhookVerification, 'secretId' | 'previous'>;

/** A change of secrets: a new one is added, and the old one remains or is removed. */
export interface SecretChange {
  /** The id of the new secret, already in the vault. If undefined, the present secret remains. */
  readonly secretId: string | undefined;
  /** Whether the previous secret is no longer accepted. */
  readonly removePrevious: boolean;
  /** When the previous secret expires. `null` means only when it is removed; undefined leaves it unchanged. */
  readonly previousUntil: string | null | undefined;
}

/** Whether there is no secret of this scheme yet; secrets of another scheme are ignored. */
export function isNewScheme({ verification }: Pick<Webhook, 'verification'>, to: SignatureScheme['scheme']): boolean {
  return verification?.signature.scheme !== to;
}

/**
 * A new secret makes the present one the previous one. A change of scheme removes all old secrets. Sending the present
 * state does nothing.
 * @param now milliseconds since 1970.
 * @throws Refusal webhook-secrets-full if there are already two, invalid-input
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

/** Removes the verification. Afterwards anyone who knows the URL may deliver. */
export function removeVerification({ verification }: Webhook): readonly WebhookEvent[] {
  if (verification === null) return [];
  return [{ type: 'WebhookVerificationRemoved', data: { drops: secretIdsOf(verification) } }];
}

/** The verification without an expired previous secret. */
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
  // No new id was drawn, because the handler found a secret that a concurrent call has since removed.
  if (current === null) return { secretId: secretId ?? refuse('too-much-contention'), previous: null };
  if (secretId === undefined) return removePrevious ? { ...current, previous: null } : current;
  if (removePrevious) return { secretId, previous: null };
  if (current.previous !== null) return refuse('webhook-secrets-full');
  return { secretId, previous: { secretId: current.secretId, until: null } };
}

function withEnd({ secretId, previous }: Secrets, until: string | null | undefined): Secrets {
  if (until === undefined) return { secretId, previous };
  if (previous !== null) return { secretId, previous: { ...previous, until } };
  return refuseInput([{ path: 'previousUntil', message: 'is the end of a previous secret, and there is none' }]);
}
