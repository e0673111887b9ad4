import { describe, expect, it } from '@jest/globals';
import { recorded, specWorkspace } from '../../../../test/support/given/given.js';
import { followingAll } from '../../../kernel/audit-chain/chain.js';
import { auditSealed, signHead, signingKeyOf } from '../../../kernel/audit-chain/signed-head.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { auditSealCategory } from './audit-seal.record.js';
import { checkedSeal, isSeal } from './seal-check.js';

const key = signingKeyOf(Buffer.alloc(32, 1));
const other = signingKeyOf(Buffer.alloc(32, 2));
const start = { count: 3, head: 'a'.repeat(64) };
const digests = ['d1', 'd2'];
const head = { ...followingAll(start, digests), workspaceId: specWorkspace, previous: start, kinds: ['function'] };
const about = { ...head, signedAt: '2030-01-01T00:00:00.000Z' };
const seal = (signed: object = signHead(about, key), more: object = {}) =>
  recorded(
    auditSealCategory,
    { type: auditSealed, data: { head: signed, digests, last: { stream: 'function-ws.fn', revision: 0 }, ...more } },
    1,
  ) as unknown as RecordedEvent;
const expected = { workspaceId: specWorkspace, place: start, revision: 1, publicKey: key.publicKey };

describe('a seal', () => {
  it('is returned with its head and digests if it is the expected one', () => {
    expect(checkedSeal(seal(), expected)).toEqual({ head: signHead(about, key), digests, revision: 1 });
  });

  it.each<[string, RecordedEvent, Partial<typeof expected>, string]>([
    ['is missing before it', seal(), { revision: 0 }, 'seal 1 is missing'],
    [
      'no longer has the form of a seal',
      seal(undefined, { digests: [7] }),
      {},
      'seal 2 was changed: it no longer has the form of a seal',
    ],
    ['is signed by another key', seal(signHead(about, other)), {}, 'seal 2 is signed with another key'],
    [
      'has another signature',
      seal({ ...signHead(about, key), signedAt: '2031-01-01T00:00:00.000Z' }),
      {},
      'its signature is invalid',
    ],
    ['is of another workspace', seal(), { workspaceId: 'ws_other' }, 'seal 2 belongs to another workspace'],
    ['begins elsewhere', seal(), { place: { ...start, count: 2 } }, 'does not continue where the previous one ended'],
    ['has other digests', seal(undefined, { digests: ['d1', 'd3'] }), {}, 'its digests do not result in its head'],
  ])('that %s is reported', (_, event, more, sentence) => {
    expect(checkedSeal(event, { ...expected, ...more })).toContain(sentence);
  });

  it.each<[string, object]>([
    ['a head', { head: { format: 'other' } }],
    ['digests', { digests: 'd1' }],
    ['a last event', { last: null }],
    ['the stream of the last event', { last: { revision: 0 } }],
    ['the revision of the last event', { last: { stream: 's', revision: -1 } }],
  ])('is invalid without %s', (_, without) => {
    expect(isSeal(seal())).toBe(true);
    expect(isSeal(seal(undefined, without))).toBe(false);
  });
});
