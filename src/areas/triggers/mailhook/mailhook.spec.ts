import { describe, expect, test } from '@jest/globals';
import { given, stateOf } from '../../../../test/support/given/given.js';
import { changeMailhook, createMailhook, deleteMailhook, localPartForm, localPartOf } from './mailhook.js';
import { type MailhookEvent, mailhooks } from './mailhook.record.js';

const facts = {
  name: 'Orders',
  targetKind: 'account_function',
  targetRef: 'fn_1',
  projectId: null,
  addressHash: 'hash',
} as const;
const created: MailhookEvent = { type: 'MailhookCreated', data: facts };

describe('a mailhook', () => {
  test('is created active, with the digest of its address and not the address', () => {
    given().when(createMailhook, facts).emits(created);
    expect(stateOf(mailhooks, [created])).toMatchObject({ ...facts, isActive: true });
  });

  test('accepts each change separately', () => {
    given(mailhooks, [created])
      .when(changeMailhook, { name: 'Bills' })
      .emits({ type: 'MailhookRenamed', data: { name: 'Bills' } });
    given(mailhooks, [created])
      .when(changeMailhook, { target: { kind: 'flow', ref: 'flow_1' } })
      .emits({ type: 'MailhookRetargeted', data: { targetKind: 'flow', targetRef: 'flow_1' } });
    given(mailhooks, [created])
      .when(changeMailhook, { isActive: false })
      .emits({ type: 'MailhookDeactivated', data: {} });
    given(mailhooks, [created])
      .when(changeMailhook, { projectId: 'site_1' })
      .emits({ type: 'MailhookBound', data: { projectId: 'site_1' } });
  });

  test('is unbound by null, and active again if that is sent', () => {
    const before: readonly MailhookEvent[] = [
      created,
      { type: 'MailhookBound', data: { projectId: 'site_1' } },
      { type: 'MailhookDeactivated', data: {} },
    ];
    given(mailhooks, before)
      .when(changeMailhook, { projectId: null, isActive: true })
      .emits({ type: 'MailhookUnbound', data: {} }, { type: 'MailhookActivated', data: {} });
  });

  test('does not change if it is sent unchanged', () => {
    const same = {
      name: 'Orders',
      target: { kind: 'account_function', ref: 'fn_1' },
      projectId: null,
      isActive: true,
    } as const;
    given(mailhooks, [created]).when(changeMailhook, same).emitsNothing();
  });

  test('is deleted with a reason', () => {
    given()
      .when(deleteMailhook, 'asked')
      .emits({ type: 'MailhookDeleted', data: { reason: 'asked' } });
  });

  test('has an address of 130 bits that does not depend on case', () => {
    const local = localPartOf('token');
    expect(local).toMatch(/^in-[0-9a-z]{26}$/);
    expect(local).not.toBe(localPartOf('other'));
    expect(`To: ${local.toUpperCase()}@mail.localhost`.replace(localPartForm, 'in-…')).toBe('To: in-…@mail.localhost');
  });
});
