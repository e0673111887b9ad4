import { describe, expect, test } from '@jest/globals';
import { given, refusalOf, stateOf } from '../../../../test/support/given/given.js';
import { deleteWebhook } from './webhook.js';
import { type SignatureScheme, type WebhookEvent, webhooks } from './webhook.record.js';
import { removeVerification, type SecretChange, setVerification, withoutExpired } from './webhook-verification.js';

const now = Date.parse('2030-01-01T00:00:00.000Z');
const later = '2030-01-02T00:00:00.000Z';
const created: WebhookEvent = { type: 'WebhookCreated', data: { functionId: 'fn_1', tokenHash: 'hash' } };
const github: SignatureScheme = { scheme: 'github' };
const stripe: SignatureScheme = { scheme: 'stripe', toleranceSeconds: 300 };
const secret = (secretId: string | undefined, more: Partial<SecretChange> = {}): SecretChange => ({
  secretId,
  removePrevious: false,
  previousUntil: undefined,
  ...more,
});
const set = (
  signature: SignatureScheme,
  secretId: string,
  previous: string | null = null,
  until: string | null = null,
  drops: readonly string[] = [],
): WebhookEvent => ({
  type: 'WebhookVerificationSet',
  data: { signature, secretId, previous: previous === null ? null : { secretId: previous, until }, drops },
});
const first = [created, set(github, 's1')];
const rotated = [...first, set(github, 's2', 's1')];

describe('the verification of a webhook', () => {
  test('begins with its secret', () => {
    given(webhooks, [created]).when(setVerification, github, secret('s1'), now).emits(set(github, 's1'));
  });

  test('does not change if it is sent unchanged', () => {
    given(webhooks, rotated).when(setVerification, github, secret(undefined), now).emitsNothing();
  });

  test('changes its requirements, and keeps its secrets', () => {
    const [from, to]: readonly SignatureScheme[] = [stripe, { scheme: 'stripe', toleranceSeconds: 60 }];
    given(webhooks, [created, set(from as SignatureScheme, 's1')])
      .when(setVerification, to as SignatureScheme, secret(undefined), now)
      .emits(set(to as SignatureScheme, 's1'));
  });

  test('accepts a new secret, and the former one remains beside it', () => {
    given(webhooks, first)
      .when(setVerification, github, secret('s2'), now)
      .emits(set(github, 's2', 's1'));
    given(webhooks, first)
      .when(setVerification, github, secret('s2', { previousUntil: later }), now)
      .emits(set(github, 's2', 's1', later));
  });

  test('ends the former one at a time, at another, or never', () => {
    given(webhooks, rotated)
      .when(setVerification, github, secret(undefined, { previousUntil: later }), now)
      .emits(set(github, 's2', 's1', later));
    given(webhooks, [...rotated, set(github, 's2', 's1', later)])
      .when(setVerification, github, secret(undefined, { previousUntil: null }), now)
      .emits(set(github, 's2', 's1'));
  });

  test('removes the former one, whose secret is dropped', () => {
    given(webhooks, rotated)
      .when(setVerification, github, secret(undefined, { removePrevious: true }), now)
      .emits(set(github, 's2', null, null, ['s1']));
  });

  test('has two secrets and no third, unless the older ones end at once', () => {
    given(webhooks, rotated).when(setVerification, github, secret('s3'), now).refuses('webhook-secrets-full');
    given(webhooks, rotated)
      .when(setVerification, github, secret('s3', { removePrevious: true }), now)
      .emits(set(github, 's3', null, null, ['s2', 's1']));
  });

  test('has room again when the time of the former one is over', () => {
    const ended = [...first, set(github, 's2', 's1', later)];
    given(webhooks, ended)
      .when(setVerification, github, secret('s3'), Date.parse(later))
      .emits(set(github, 's3', 's2', null, ['s1']));
    expect(withoutExpired(stateOf(webhooks, ended).verification, Date.parse(later) - 1)?.previous).not.toBeNull();
    expect(withoutExpired(stateOf(webhooks, ended).verification, Date.parse(later))?.previous).toBeNull();
  });

  test('cannot end a secret that does not exist', () => {
    const webhook = stateOf(webhooks, first);
    const ending = () => setVerification(webhook, github, secret(undefined, { previousUntil: later }), now);
    expect(refusalOf(ending).facts.errors).toEqual([expect.objectContaining({ path: 'previousUntil' })]);
  });

  test('begins again with another scheme, and drops former secrets', () => {
    given(webhooks, rotated)
      .when(setVerification, stripe, secret('s3'), now)
      .emits(set(stripe, 's3', null, null, ['s2', 's1']));
  });

  test('without a secret, because another call removed it in the meantime, is decided again', () => {
    given(webhooks, [created]).when(setVerification, github, secret(undefined), now).refuses('too-much-contention');
  });

  test('is removed with its secrets, once', () => {
    given(webhooks, rotated)
      .when(removeVerification)
      .emits({ type: 'WebhookVerificationRemoved', data: { drops: ['s2', 's1'] } });
    given(webhooks, [created]).when(removeVerification).emitsNothing();
  });

  test('is deleted with its webhook', () => {
    given(webhooks, rotated)
      .when(deleteWebhook, 'asked')
      .emits({ type: 'WebhookDeleted', data: { reason: 'asked', drops: ['s2', 's1'] } });
  });
});
