import { describe, expect, test } from '@jest/globals';
import { given, stateOf } from '../../../../test/support/given/given.js';
import { createWebhook, deleteWebhook, switchWebhook } from './webhook.js';
import { type WebhookEvent, webhooks } from './webhook.record.js';

const created: WebhookEvent = {
  type: 'WebhookCreated',
  data: { targetKind: 'account_function', targetRef: 'fn_1', tokenHash: 'hash' },
};

describe('a webhook', () => {
  test('is created active, with the digest of its token and not the token', () => {
    given().when(createWebhook, { kind: 'account_function', ref: 'fn_1' }, 'hash').emits(created);
    expect(stateOf(webhooks, [created])).toMatchObject({ targetRef: 'fn_1', isActive: true });
  });

  test('recorded when functions were the only targets, starts the named function', () => {
    const early: WebhookEvent = { type: 'WebhookCreated', data: { functionId: 'fn_1', tokenHash: 'hash' } };
    expect(stateOf(webhooks, [early])).toEqual(stateOf(webhooks, [created]));
  });

  test('changes from active to inactive and back, with isActive as sent', () => {
    given(webhooks, [created]).when(switchWebhook, false).emits({ type: 'WebhookDeactivated', data: {} });
    given(webhooks, [created, { type: 'WebhookDeactivated', data: {} }])
      .when(switchWebhook, true)
      .emits({ type: 'WebhookActivated', data: {} });
  });

  test('does not change if it is sent unchanged', () => {
    given(webhooks, [created]).when(switchWebhook, true).emitsNothing();
  });

  test('stores the inputs of failed runs by default', () => {
    const off: WebhookEvent = { type: 'WebhookReplaySwitched', data: { keepInput: false } };
    expect(stateOf(webhooks, [created])).toMatchObject({ keepInput: true });
    expect(stateOf(webhooks, [created, off])).toMatchObject({ keepInput: false });
  });

  test('is deleted with a reason', () => {
    given(webhooks, [created])
      .when(deleteWebhook, 'asked')
      .emits({ type: 'WebhookDeleted', data: { reason: 'asked', drops: [] } });
  });
});
