import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { beginningOf, digestOf, following, followingAll } from './chain.js';
import { fingerprintOf, isSigned, signedHeadOf, signHead, signingKeyOf } from './signed-head.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const metadata = {
  workspaceId: 'ws_1',
  actor: { kind: 'person', id: 'member_1', name: 'Ada' },
  correlationId: 'c',
  causationId: null,
  commandId: 'c',
  operation: 'automations/createFunction',
  at: '2026-01-01T00:00:00.000Z',
} as const;
const event = {
  stream: 'function-ws_1.fn_1',
  revision: 0,
  id: 'e-1',
  type: 'FunctionCreated',
  data: { n: 1 },
  metadata,
};

describe('the chain of a workspace', () => {
  test('is made as documented', () => {
    const text =
      '{"data":{"n":1},"id":"e-1","metadata":{"actor":{"id":"member_1","kind":"person","name":"Ada"},' +
      '"at":"2026-01-01T00:00:00.000Z","causationId":null,"commandId":"c","correlationId":"c",' +
      '"operation":"automations/createFunction","workspaceId":"ws_1"},"revision":0,"stream":"function-ws_1.fn_1",' +
      '"type":"FunctionCreated"}';
    expect(digestOf(event)).toBe(sha256(text));
    const beginning = sha256('countersign-audit-1 ws_1');
    expect(following(beginningOf('ws_1'), digestOf(event))).toEqual({
      count: 1,
      head: sha256(beginning + sha256(text)),
    });
  });

  test.each([
    ['data', { data: { n: 2 } }],
    ['metadata', { metadata: { ...metadata, at: '2026-01-02T00:00:00.000Z' } }],
    ['type', { type: 'FunctionDeleted' }],
    ['revision', { revision: 1 }],
    ['stream', { stream: 'function-ws_1.fn_2' }],
    ['id', { id: 'e-2' }],
  ])('has another digest for another %s, but not for another position in the log', (_, change) => {
    expect(digestOf({ ...event, ...change })).not.toBe(digestOf(event));
    expect(digestOf(Object.assign({ position: 7 }, event))).toBe(digestOf(event));
  });

  test('has another end if two events are exchanged, and in another workspace', () => {
    const heads = [
      followingAll(beginningOf('ws_1'), ['a', 'b']),
      followingAll(beginningOf('ws_1'), ['b', 'a']),
      followingAll(beginningOf('ws_2'), ['a', 'b']),
    ].map(({ head }) => head);
    expect(new Set(heads).size).toBe(3);
  });
});

describe('a signed head', () => {
  const key = signingKeyOf(Buffer.alloc(32, 1));
  const previous = beginningOf('ws_1');
  const signed = signHead(
    { workspaceId: 'ws_1', previous, ...following(previous, 'a'), kinds: ['function'], signedAt: metadata.at },
    key,
  );

  test('is exactly what its key has signed', () => {
    expect(isSigned(signed)).toBe(true);
    expect(fingerprintOf(signed.publicKey)).toMatch(/^[0-9a-f]{64}$/);
    const others = [
      { ...signed, count: 2 },
      { ...signed, workspaceId: 'ws_2' },
      { ...signed, kinds: [] },
      { ...signed, previous: { ...previous, count: 1 } },
      { ...signed, signature: '' },
      { ...signed, publicKey: 'no key' },
      { ...signed, publicKey: signingKeyOf(Buffer.alloc(32, 2)).publicKey },
    ];
    expect(others.filter(isSigned)).toEqual([]);
  });

  test('can be read from its JSON, and other JSON is refused', () => {
    expect(signedHeadOf(JSON.parse(JSON.stringify(signed)))).toEqual(signed);
    const { signature: _, ...unsigned } = signed;
    for (const other of [null, 1, [], {}, unsigned, { ...signed, format: 'other' }, { ...signed, head: 'abc' }]) {
      expect(signedHeadOf(other)).toBeUndefined();
    }
  });
});
