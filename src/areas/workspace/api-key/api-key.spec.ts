import { describe, expect, it, test } from '@jest/globals';
import { given, specAt } from '../../../../test/support/given/given.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { beginsBeyondThisVersion, declareKind } from '../../../kernel/record/understanding.js';
import { type ApiKeyInput, type Asker, createApiKey, holderOf, revokeApiKey, whyNotRenewed } from './api-key.js';
import { type ApiKey, type ApiKeyEvent, apiKeys } from './api-key.record.js';
import { apiKeyOf, sealedKey } from './key-text.api.js';

const sealed = { keyHash: 'digest', hint: 'wxyz' };
const admin: Asker = { id: 'mem_1', role: 'admin', neverDeletes: false };
const input = { name: 'CI', kind: 'person' } as const;
const ofMember = { memberId: 'mem_2', agentId: null };
const facts = { ...input, ...ofMember, readOnly: false, neverDeletes: false, expiresAt: null, ...sealed };
const created: ApiKeyEvent = { type: 'ApiKeyCreated', data: facts };

describe('the holder of a key', () => {
  test.each<[ApiKeyInput, object]>([
    [
      { name: 'k', kind: 'person' },
      { memberId: 'mem_1', agentId: null },
    ],
    [
      { name: 'k', kind: 'connection', memberId: 'mem_9' },
      { memberId: 'mem_9', agentId: null },
    ],
    [
      { name: 'k', kind: 'agent', agentId: 'agent_1' },
      { memberId: null, agentId: 'agent_1' },
    ],
    [
      { name: 'k', kind: 'automation' },
      { memberId: null, agentId: null },
    ],
    [
      { name: 'k', kind: 'flow' },
      { memberId: null, agentId: null },
    ],
  ])('is derived from %j', (wanted, holder) => {
    expect(holderOf(wanted, admin)).toEqual(holder);
  });

  test.each<[ApiKeyInput, string]>([
    [{ name: 'k', kind: 'person', agentId: 'agent_1' }, 'agentId'],
    [{ name: 'k', kind: 'connection', agentId: 'agent_1' }, 'agentId'],
    [{ name: 'k', kind: 'agent' }, 'agentId'],
    [{ name: 'k', kind: 'agent', agentId: 'agent_1', memberId: 'mem_1' }, 'memberId'],
    [{ name: 'k', kind: 'automation', memberId: 'mem_1' }, 'memberId'],
    [{ name: 'k', kind: 'flow', agentId: 'agent_1' }, 'agentId'],
  ])('cannot be given by %j', (wanted, path) => {
    given()
      .when(() => [{ type: 'Held', data: holderOf(wanted, admin) }])
      .refuses('invalid-input', { errors: [{ path }] });
  });
});

describe('making a key', () => {
  test('records its digest and never the key', () => {
    given().when(createApiKey, input, ofMember, 'viewer', sealed, admin, specAt).emits(created);
    const key = apiKeyOf('secret-abcd');
    expect(sealedKey(key, (text) => `digest of ${text.length}`)).toEqual({ keyHash: 'digest of 23', hint: 'abcd' });
  });

  test('a key for a higher person is refused', () => {
    given().when(createApiKey, input, ofMember, 'owner', sealed, admin, specAt).refuses('key-above-own-role');
  });

  test('an automation has no person', () => {
    const nobody = { memberId: null, agentId: null };
    given()
      .when(createApiKey, { name: 'CI', kind: 'automation' }, nobody, undefined, sealed, admin, specAt)
      .emits({ type: 'ApiKeyCreated', data: { ...facts, kind: 'automation', ...nobody } });
  });

  test('a key that never deletes creates only such keys', () => {
    const asker = { ...admin, neverDeletes: true };
    given().when(createApiKey, input, ofMember, 'viewer', sealed, asker, specAt).refuses('key-must-never-delete');
    given()
      .when(createApiKey, { ...input, neverDeletes: true }, ofMember, 'viewer', sealed, asker, specAt)
      .emits({ type: 'ApiKeyCreated', data: { ...facts, neverDeletes: true } });
  });

  test('its end is in the future and recorded in UTC', () => {
    for (const expiresAt of [specAt, '2029-12-31', '2030-01-01T10:00+99:99']) {
      given()
        .when(createApiKey, { ...input, expiresAt }, ofMember, 'viewer', sealed, admin, specAt)
        .refuses('invalid-input', { errors: [{ path: 'expiresAt' }] });
    }
    given()
      .when(createApiKey, { ...input, expiresAt: '2030-06-01T02:00+02:00' }, ofMember, 'viewer', sealed, admin, specAt)
      .emits({ type: 'ApiKeyCreated', data: { ...facts, expiresAt: '2030-06-01T00:00:00.000Z' } });
  });
});

describe('revoking a key', () => {
  test('once', () => {
    given(apiKeys, [created])
      .when(revokeApiKey, 'asked', 'viewer', 'admin')
      .emits({ type: 'ApiKeyRevoked', data: { reason: 'asked' } });
  });

  test('twice has no further effect', () => {
    given(apiKeys, [created, { type: 'ApiKeyRevoked', data: { reason: 'asked' } }])
      .when(revokeApiKey, 'member-removed')
      .emitsNothing();
  });

  test("an Admin cannot revoke the Owner's key", () => {
    given(apiKeys, [created]).when(revokeApiKey, 'asked', 'owner', 'admin').refuses('key-above-own-role');
  });
});

describe('a narrowed key', () => {
  const reach = { areas: ['bases'], functions: ['fn_1'] };
  const type = 'NarrowedApiKeyCreated';

  test.each<[string, Partial<ApiKeyInput>, Partial<Asker>]>([
    ['as it was asked for', reach, {}],
    ['like the key that makes it', {}, reach],
  ])('begins with an event of its own, limited %s', (_, wanted, own) => {
    given()
      .when(createApiKey, { ...input, ...wanted }, ofMember, 'viewer', sealed, { ...admin, ...own }, specAt)
      .emits({ type, data: { ...facts, ...reach } });
  });

  it('admits nobody in a version without narrowing', () => {
    const event = { type, stream: 'apiKey-ws_1.key_1', revision: 0, data: { ...facts, ...reach } } as RecordedEvent;
    const types = apiKeys.types.filter((known) => known !== type);
    expect(beginsBeyondThisVersion(event)).toBe(false);
    declareKind('apiKey', types);
    expect(beginsBeyondThisVersion(event)).toBe(true);
    declareKind('apiKey', apiKeys.types);
  });
});

describe('the key of an AI client', () => {
  const at = '2026-11-29T12:00:00.000Z';
  const key = {
    ...({ id: 'key_1', workspaceId: 'ws_1', revokedAt: null } as unknown as ApiKey),
    refreshHash: 'now',
    spentHash: 'before',
    renewedAt: '2026-11-29T11:59:30.000Z',
    refreshUntil: '2026-12-29T11:59:30.000Z',
  };

  it('can be renewed with its token, and for a minute with the former one, whose answer may have been lost', () => {
    expect(whyNotRenewed(key, 'now', at)).toBeUndefined();
    expect(whyNotRenewed(key, 'before', at)).toBeUndefined();
  });

  it('is revoked if a spent token is used later', () => {
    expect(whyNotRenewed(key, 'before', '2026-11-29T12:01:00.000Z')).toBe('spent');
  });

  it('cannot be renewed otherwise, nor after its end, nor when it is revoked', () => {
    expect(whyNotRenewed(key, 'other', at)).toBe('unknown');
    expect(whyNotRenewed(key, 'now', '2027-01-01T00:00:00.000Z')).toBe('unknown');
    expect(whyNotRenewed({ ...key, revokedAt: at }, 'now', at)).toBe('unknown');
  });
});
