import { describe, expect, test } from '@jest/globals';
import { sealedText } from '../event/personal-data.js';
import { eventWords, typeWords } from './event-words.js';

const change = (path: string, from: unknown, to: unknown) => ({ path, from, to });

describe("the description of an event's change", () => {
  test('is a sentence made of the type alone', () => {
    expect(typeWords('FunctionAccessRulesSet')).toBe('Function access rules set');
    expect(typeWords('ApiKeyRevoked')).toBe('Api key revoked');
    expect(eventWords('SnapshotRestored', 'changes', [])).toBe('Snapshot restored');
  });

  test('has the name at the beginning and the end of a record', () => {
    expect(eventWords('FunctionCreated', 'begins', [change('code', null, 'x'), change('name', null, 'Orders')])).toBe(
      'Function created: "Orders"',
    );
    expect(eventWords('CouponDeleted', 'ends', [change('code', 'SPRING', null)])).toBe('Coupon deleted: "SPRING"');
    expect(eventWords('WebhookDeleted', 'ends', [change('isActive', true, null)])).toBe('Webhook deleted');
  });

  test('names changes with short values', () => {
    const both = [change('name', 'a', 'b'), change('limits.hour', null, 3), change('updatedAt', 'then', 'now')];
    expect(eventWords('MailAccountChanged', 'changes', both)).toBe('Changed name from "a" to "b" and limits.hour to 3');
    const off = [change('isActive', true, false)];
    expect(eventWords('WebhookDeactivated', 'changes', off)).toBe('Webhook deactivated: isActive from true to false');
    expect(eventWords('MailhookUnbound', 'changes', [change('projectId', 'prj_1', null)])).toBe(
      'Mailhook unbound: projectId from "prj_1" to nothing',
    );
  });

  test('names large values and lists without quoting them; long ones are shortened, and line ends are escaped', () => {
    const objects = [change('grants', null, { a: 1 }), change('list', [], 'x')];
    expect(eventWords('FlowChanged', 'changes', objects)).toBe('Changed grants and list');
    const long = eventWords('PageUpdated', 'changes', [change('title', `${'x'.repeat(59)}\u{1f600}yy`, 'a\nb')]);
    expect(long).toBe(`Changed title from "${'x'.repeat(59)}…" to "a\\nb"`);
  });

  test('names the first of many changes and counts the others', () => {
    const many = Array.from({ length: 7 }, (_, at) => change(`f${at}`, at, at + 1));
    expect(eventWords('OfferChanged', 'changes', many)).toBe(
      'Changed f0 from 0 to 1, f1 from 1 to 2, f2 from 2 to 3, f3 from 3 to 4 and 3 more',
    );
  });

  test('does not quote personal data, and does not name internal members', () => {
    const sealed = (text: string) => sealedText({ category: 'member', id: 'mem_1', field: 'name', sealed: text });
    expect(eventWords('MemberUpdated', 'changes', [change('name', sealed('a'), sealed('b'))])).toBe('Changed name');
    expect(eventWords('MemberAdded', 'begins', [change('name', null, sealed('a'))])).toBe('Member added');
    const hidden = [change('verification.secretId', 'a', 'b'), change('tokenHash', 'a', 'b')];
    const words = eventWords('WebhookVerificationSet', 'changes', hidden, ['tokenHash', 'secretId']);
    expect(words).toBe('Webhook verification set');
  });
});
