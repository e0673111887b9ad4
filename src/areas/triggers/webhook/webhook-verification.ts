import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../triggers.refusals.js';
import type { SignatureScheme, Webhook, WebhookEvent, WebhookVerification } from './webhook.record.js';

type Secrets = Pick<WebhookVerification, 'secretId' | 'previous'>;

export interface SecretChange {
  /** Id of a new secret, already in the vault. If undefined, the present secret remains. */
  readonly secretId: string | undefined;
  /** If true, only one secret is accepted from now on: the new one or, if there is none, the present one. */
  readonly removePrevious: boolean;
  /** `null` means that the previous secret does not expire by itself. If undefined, the expiry does not change. */
  readonly previousUntil: string | null | undefined;
}

export function isNewScheme({ verification }: Pick<Webhook, 'verification'>, to: SignatureScheme['scheme']): boolean {
  return verification?.signature.scheme !== to;
}

/**
 * If there is a new secret, the present one becomes the previous one, or is removed if `removePrevious` is true. A
 * change of scheme removes all old secrets.
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

export function removeVerification({ verification }: Webhook): readonly WebhookEvent[] {
  if (verification === null) return [];
  return [{ type: 'WebhookVerificationRemoved', data: { drops: secretIdsOf(verification) } }];
}

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
  // If there is no new secret, a concurrent call has removed the present one since the handler read it.
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
