import { describe, expect, test } from '@jest/globals';
import { sealedText } from '../event/personal-data.js';
import { eventWords, typeWords } from './event-words.js';

const change = (path: string, from: unknown, to: unknown) => ({ path, from, to });

describe('what an event changed, in words', () => {
  test('the type alone makes a sentence', () => {
    expect(typeWords('FunctionAccessRulesSet')).toBe('Function access rules set');
    expect(typeWords('ApiKeyRevoked')).toBe('Api key revoked');
    expect(eventWords('SnapshotRestored', 'changes', [])).toBe('Snapshot restored');
  });

  test('a beginning and an end say the name', () => {
    expect(eventWords('FunctionCreated', 'begins', [change('code', null, 'x'), change('name', null, 'Orders')])).toBe(
      'Function created: "Orders"',
    );
    expect(eventWords('CouponDeleted', 'ends', [change('code', 'SPRING', null)])).toBe('Coupon deleted: "SPRING"');
    expect(eventWords('WebhookDeleted', 'ends', [change('isActive', true, null)])).toBe('Webhook deleted');
  });

  test('changes are named with short values', () => {
    const both = [change('name', 'a', 'b'), change('limits.hour', null, 3), change('updatedAt', 'then', 'now')];
    expect(eventWords('MailAccountChanged', 'changes', both)).toBe('Changed name from "a" to "b" and limits.hour to 3');
    const off = [change('isActive', true, false)];
    expect(eventWords('WebhookDeactivated', 'changes', off)).toBe('Webhook deactivated: isActive from true to false');
    expect(eventWords('MailhookUnbound', 'changes', [change('projectId', 'prj_1', null)])).toBe(
      'Mailhook unbound: projectId from "prj_1" to nothing',
    );
  });

  test('large values and lists are named and not quoted; long ones are shortened, and line ends are escaped', () => {
    const objects = [change('grants', null, { a: 1 }), change('list', [], 'x')];
    expect(eventWords('FlowChanged', 'changes', objects)).toBe('Changed grants and list');
    const long = eventWords('PageUpdated', 'changes', [change('title', `${'x'.repeat(59)}\u{1f600}yy`, 'a\nb')]);
    expect(long).toBe(`Changed title from "${'x'.repeat(59)}…" to "a\\nb"`);
  });

  test('of many changes the first are named and the others counted', () => {
    const many = Array.from({ length: 7 }, (_, at) => change(`f${at}`, at, at + 1));
    expect(eventWords('OfferChanged', 'changes', many)).toBe(
      'Changed f0 from 0 to 1, f1 from 1 to 2, f2 from 2 to 3, f3 from 3 to 4 and 3 more',
    );
  });

  test('personal data is not quoted, and inner members are not named', () => {
    const sealed = (text: string) => sealedText({ category: 'member', id: 'mem_1', field: 'name', sealed: text });
    expect(eventWords('MemberUpdated', 'changes', [change('name', sealed('a'), sealed('b'))])).toBe('Changed name');
    expect(eventWords('MemberAdded', 'begins', [change('name', null, sealed('a'))])).toBe('Member added');
    const hidden = [change('verification.secretId', 'a', 'b'), change('tokenHash', 'a', 'b')];
    const words = eventWords('WebhookVerificationSet', 'changes', hidden, ['tokenHash', 'secretId']);
    expect(words).toBe('Webhook verification set');
  });
});
