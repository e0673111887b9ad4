import { describe, expect, it } from '@jest/globals';
import { given, refusalOf, stateOf } from '../../../../test/support/given/given.js';
import {
  checkMailAccount,
  createMailAccount,
  deleteMailAccount,
  recordTest,
  updateMailAccount,
} from './mail-account.js';
import { type MailAccountEvent, type MailAccountFacts, mailAccounts } from './mail-account.record.js';

const facts: MailAccountFacts = {
  name: 'robot',
  fromAddress: 'robot@example.com',
  fromName: '',
  replyTo: '',
  host: 'smtp.example.com',
  port: 465,
  secure: true,
  username: 'robot',
  passwordId: 'val_1',
  projectId: null,
  hourlyLimit: 200,
};
const created: MailAccountEvent = { type: 'MailAccountCreated', data: facts };
const works: MailAccountEvent = { type: 'MailAccountTested', data: { error: null } };
const needed = { name: 'robot', fromAddress: 'robot@example.com', host: 'smtp.example.com', username: 'robot' };
const changed = (data: object) => ({ type: 'MailAccountChanged', data });

describe('createMailAccount', () => {
  it('fills in defaults', () => {
    given().when(createMailAccount, needed, 'val_1').emits(created);
  });

  it('uses 587 with STARTTLS, and any given port', () => {
    const port587 = { type: 'MailAccountCreated', data: { ...facts, secure: false, port: 587 } };
    given()
      .when(createMailAccount, { ...needed, secure: false }, 'val_1')
      .emits(port587);
    const port25 = { type: 'MailAccountCreated', data: { ...facts, port: 25 } };
    given()
      .when(createMailAccount, { ...needed, port: 25 }, 'val_1')
      .emits(port25);
  });

  it('records a request about the default, and nothing without one', () => {
    const asked = { type: 'MailAccountCreated', data: { ...facts, isDefault: false } };
    given()
      .when(createMailAccount, { ...needed, isDefault: false }, 'val_1')
      .emits(asked);
  });
});

describe('updateMailAccount', () => {
  it('records differences, and nothing without one', () => {
    given(mailAccounts, [created]).when(updateMailAccount, { name: 'robot', port: 465 }, undefined).emitsNothing();
    given(mailAccounts, [created])
      .when(updateMailAccount, { name: 'other', hourlyLimit: 10, isActive: true }, undefined)
      .emits(changed({ name: 'other', hourlyLimit: 10 }));
  });

  it('names the password that a new one replaces', () => {
    given(mailAccounts, [created])
      .when(updateMailAccount, {}, 'val_2')
      .emits(changed({ passwordId: 'val_2', replaces: 'val_1' }));
  });

  it('moves from the usual port of TLS to that of STARTTLS, unless a port is or was given', () => {
    const replaced = { passwordId: 'val_2', replaces: 'val_1' };
    given(mailAccounts, [created])
      .when(updateMailAccount, { secure: false }, 'val_2')
      .emits(changed({ secure: false, port: 587, ...replaced }));
    given(mailAccounts, [created])
      .when(updateMailAccount, { secure: false, port: 465 }, 'val_2')
      .emits(changed({ secure: false, ...replaced }));
    given(mailAccounts, [created, { type: 'MailAccountChanged', data: { port: 2465 } }])
      .when(updateMailAccount, { secure: false }, 'val_2')
      .emits(changed({ secure: false, ...replaced }));
  });

  it.each([{ host: 'evil.example.com' }, { port: 2525 }, { username: 'eve' }, { secure: false, port: 465 }])(
    'requires the password again with %j',
    (change) => {
      given(mailAccounts, [created]).when(updateMailAccount, change, undefined).refuses('mail-account-password-needed');
    },
  );

  it('keeps the password if the same server is better protected', () => {
    given(mailAccounts, [created, { type: 'MailAccountChanged', data: { secure: false } }])
      .when(updateMailAccount, { secure: true }, undefined)
      .emits(changed({ secure: true }));
  });

  it('unbinds with null', () => {
    given(mailAccounts, [created, { type: 'MailAccountChanged', data: { projectId: 'site_1' } }])
      .when(updateMailAccount, { projectId: null }, undefined)
      .emits(changed({ projectId: null }));
  });

  it('switches it off and on', () => {
    given(mailAccounts, [created])
      .when(updateMailAccount, { isActive: false }, undefined)
      .emits({ type: 'MailAccountDeactivated', data: {} });
    given(mailAccounts, [created, { type: 'MailAccountDeactivated', data: {} }])
      .when(updateMailAccount, { isActive: true }, undefined)
      .emits({ type: 'MailAccountActivated', data: {} });
  });
});

describe('verified', () => {
  const verified = (...events: readonly MailAccountEvent[]) => stateOf(mailAccounts, [created, ...events]).verified;

  it('is false at first, true after a test that worked, and false after one that did not', () => {
    expect(verified()).toBe(false);
    expect(verified(works)).toBe(true);
    expect(verified(works, { type: 'MailAccountTested', data: { error: 'No.' } })).toBe(false);
  });

  it.each([
    { host: 'other.example.com' },
    { port: 25 },
    { secure: false },
    { username: 'other' },
    { passwordId: 'val_2', replaces: 'val_1' },
    { fromAddress: 'other@example.com' },
  ])('is false again after a change of %j', (data) => {
    expect(verified(works, { type: 'MailAccountChanged', data })).toBe(false);
  });

  it.each([
    { name: 'x' },
    { fromName: 'x' },
    { replyTo: 'x@example.com' },
    { hourlyLimit: 1 },
    { projectId: 'site_1' },
  ])('remains after a change of %j', (data) => {
    expect(verified(works, { type: 'MailAccountChanged', data })).toBe(true);
  });

  it('is not set for settings that changed during the test', () => {
    const tested = stateOf(mailAccounts, [created]);
    given(mailAccounts, [created]).when(recordTest, tested, null).emits(works);
    given(mailAccounts, [created, { type: 'MailAccountChanged', data: { name: 'x' } }])
      .when(recordTest, tested, null)
      .emits(works);
    given(mailAccounts, [created, { type: 'MailAccountChanged', data: { host: 'x' } }])
      .when(recordTest, tested, null)
      .refuses('mail-account-changed');
  });
});

describe('deleteMailAccount', () => {
  it('names the destroyed password', () => {
    given(mailAccounts, [created])
      .when(deleteMailAccount)
      .emits({ type: 'MailAccountDeleted', data: { passwordId: 'val_1' } });
  });
});

describe('checkMailAccount', () => {
  it('stores hosts and addresses in normal form', () => {
    const sent = { host: 'SMTP.Example.COM.', fromAddress: 'Robot@EXAMPLE.com', replyTo: '' };
    expect(checkMailAccount(sent)).toEqual({ host: 'smtp.example.com', fromAddress: 'Robot@example.com', replyTo: '' });
  });

  it.each([
    ['host', 'smtp.example.com:465'],
    ['host', 'https://smtp.example.com'],
    ['host', ''],
    ['fromAddress', 'robot'],
    ['fromAddress', 'Robot <robot@example.com>'],
    ['fromAddress', 'robot@example.com\r\nBcc: eve@example.org'],
    ['replyTo', 'a@b.c, d@e.f'],
    ['fromName', 'Robot\r\nBcc: eve@example.org'],
    ['name', ' '],
    ['name', 'a\nb'],
    ['username', 'a\0b'],
    ['password', 'a\0b'],
    ['password', 'a\ud800'],
  ])('refuses a mailbox with the %s %j', (path, text) => {
    const { code, facts: about } = refusalOf(() => checkMailAccount({ [path]: text }));
    expect(code).toBe('invalid-input');
    expect(about.errors).toMatchObject([{ path }]);
    if (path === 'password') expect(JSON.stringify(about)).not.toContain(text);
  });
});
