import { describe, expect, it } from '@jest/globals';
import { factsOf } from './envelope-facts.js';

const facts = (headers: readonly string[], from = 'a@example.com') =>
  factsOf(Buffer.from(`${headers.join('\r\n')}\r\n\r\nMessage-ID: <body>\r\n`), from, 'mail.example.org');

describe('the facts of a mail before it is parsed', () => {
  it.each([
    [['Message-ID: <1@x>'], '<1@x>'],
    [['message-id:\r\n  <2@x>'], '<2@x>'],
    [['Message-ID: <1@x>', 'Message-ID: <2@x>'], '<1@x>'],
    [['Message-ID:'], undefined],
    [['Subject: none'], undefined],
  ])('its Message-ID: %j', (headers, messageId) => {
    expect(facts(headers).messageId).toBe(messageId);
  });

  it.each([
    [[], null],
    [['Auto-Submitted: no'], null],
    [['Auto-Submitted: No; because=x'], null],
    [['Auto-Submitted: auto-replied'], 'automatic'],
    [['Auto-Submitted: not-so'], 'automatic'],
    [['auto-submitted: AUTO-GENERATED (x)'], 'automatic'],
    [['Precedence: auto_reply'], 'automatic'],
    [['Precedence: bulk', 'List-Id: <x>'], null],
    [['From: <in-1@MAIL.example.org>'], 'own-address'],
    [['From: a@mail.example.org.uk'], null],
    [['From: a@x.mail.example.org'], null],
    [['Sender: b@mail.example.org'], 'own-address'],
    [Array<string>(50).fill('Received: x'), null],
    [Array<string>(51).fill('Received: x'), 'too-many-hops'],
  ])('whether it may start a loop: %j', (headers, skip) => {
    expect(facts(headers).skip).toBe(skip);
  });

  it('a bounce has no sender', () => {
    expect(facts([], '').skip).toBe('automatic');
    expect(facts([], 'in-1@mail.example.org').skip).toBe('own-address');
  });
});
