import { describe, expect, it } from '@jest/globals';
import type { MailAccountEvent } from './mail-account.record.js';
import { followForDefault } from './mail-default.js';
import type { MailDefault } from './mail-default.record.js';

const [early, before, after] = ['2030-01-01', '2030-01-02', '2030-01-03'] as const;
const chosen = (mailAccountId: string | null): MailDefault => ({
  id: 'ws_1',
  workspaceId: 'ws_1',
  mailAccountId,
  askedAt: before,
});
const created = (isDefault?: boolean) => ({ type: 'MailAccountCreated', data: { isDefault } }) as MailAccountEvent;
const updated = (isDefault?: boolean) => ({ type: 'MailAccountChanged', data: { isDefault } }) as MailAccountEvent;
const deleted: MailAccountEvent = { type: 'MailAccountDeleted', data: { passwordId: 'val_1' } };

function becomes(now: MailDefault | undefined, event: MailAccountEvent, late = false, askedAt: string = after) {
  const [decided] = followForDefault(now, { mailAccountId: 'm', event, askedAt, late });
  return decided?.data.mailAccountId;
}

describe('the default mailbox', () => {
  it.each([
    ['the first mailbox becomes it', undefined, created(), 'm'],
    ['the first one after it was deleted becomes it', chosen(null), created(), 'm'],
    ['a later one leaves it', chosen('other'), created(), undefined],
    ['a later one that asks for it takes its place', chosen('other'), created(true), 'm'],
    ['the first one that asks not to be it is not', undefined, created(false), undefined],
    ['one that is changed takes its place', chosen('other'), updated(true), 'm'],
    ['one that is changed otherwise leaves it', chosen('other'), updated(), undefined],
    ['it may give it up', chosen('m'), updated(false), null],
    ['another one cannot give it up', chosen('other'), updated(false), undefined],
    ['it stays the same when it is chosen again', chosen('m'), updated(true), undefined],
    ['it ends with its mailbox', chosen('m'), deleted, null],
    ['it outlives another mailbox', chosen('other'), deleted, undefined],
    ['a test changes nothing', chosen(null), { type: 'MailAccountTested', data: { error: null } }, undefined],
  ] as const)('the default mailbox: %s', (_, now, event, expected) => {
    expect(becomes(now, event)).toBe(expected);
  });

  it('is not undone by a request from before the choice, but by a later one', () => {
    expect(becomes(chosen('other'), created(true), true, early)).toBeUndefined();
    expect(becomes(chosen('other'), created(true), true, before)).toBeUndefined();
    expect(becomes(chosen(null), created(), true, early)).toBeUndefined();
    expect(becomes(chosen('other'), created(true), true, after)).toBe('m');
    expect(becomes(undefined, created(), true, early)).toBe('m');
    expect(becomes(chosen('m'), deleted, true, early)).toBeNull();
  });
});
