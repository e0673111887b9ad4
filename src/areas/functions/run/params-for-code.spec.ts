import { person } from '../../../../test/support/conditions/condition-facts.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { paramsForCode, starterForCode, userForCode } from './params-for-code.js';

const webhook = { kind: 'webhook', id: 'wh_1' } as const;

describe('the params that code gets from a webhook call', () => {
  it('have the raw text as body, which is not stored twice', () => {
    const kept = { a: 1, _request: { method: 'POST', rawBody: '{"a":1}', rawBodyEncoding: 'utf8' } };
    const seen = paramsForCode({ starter: webhook, params: kept });
    expect(seen).toEqual({ a: 1, _request: { ...kept._request, body: '{"a":1}' } });
    expect(kept._request).not.toHaveProperty('body');
  });

  it.each([
    ['bytes that are not UTF-8', { rawBody: '//4A', rawBodyEncoding: 'base64' }],
    ['no raw text at all', { rawBody: null, rawBodyEncoding: null }],
  ])('have null for %s', (_, request) => {
    expect(paramsForCode({ starter: webhook, params: { _request: request } })).toEqual({
      _request: { ...request, body: null },
    });
  });

  it('leave a sender of a member called __proto__ without effect on the prototype', () => {
    const params = JSON.parse('{"__proto__":{"polluted":1},"_request":{"rawBody":"x","rawBodyEncoding":"utf8"}}');
    const seen = paramsForCode({ starter: webhook, params });
    expect([Object.keys(seen), 'polluted' in seen]).toEqual([['__proto__', '_request'], false]);
  });

  it('add nothing to other inputs', () => {
    const params = { _request: { rawBody: 'x', rawBodyEncoding: 'utf8' } };
    expect(paramsForCode({ starter: { kind: 'event', id: 't', name: 't' }, params })).toBe(params);
  });
});

it('separate custom fields of a site user from built-in ones', () => {
  const ada = person({ roleIds: ['role_1'], properties: { name: 'Ada', plan: 'pro' } });
  const { id, email } = ada;
  expect(userForCode(ada)).toEqual({
    id,
    email,
    name: 'Ada',
    roleIds: ['role_1'],
    customFields: { plan: 'pro' },
  });
  expect(userForCode(undefined)).toBeNull();
});

describe('the starter that code sees (Q-A68)', () => {
  const user = { kind: 'user', id: 'user_1', projectId: 'prj_1', pageId: null } as const;
  const flow = { kind: 'flow', id: 'flow_1', name: 'Orders' } as const;
  const automation = { kind: 'automation', id: 'key_1', name: 'Sync' } as const;
  const agent = { kind: 'agent', id: 'agent_1', name: 'Scout', person: { id: 'mem_1', name: 'Ada' } } as const;

  it('names site users and flows in the words of the contract, and others as recorded', () => {
    expect(starterForCode(user)).toEqual({ ...user, kind: 'siteUser' });
    expect(starterForCode(flow)).toEqual({ ...flow, kind: 'journey' });
    for (const starter of [automation, agent, webhook]) expect(starterForCode(starter)).toEqual(starter);
  });

  it('does so for whoever is behind a function, however deep', () => {
    const called = (behind: Starter): Starter => ({ kind: 'function', id: 'fn_1', name: 'Total', behind });
    expect(starterForCode(called(called(user)))).toEqual({
      ...called(called(user)),
      behind: { ...called(user), behind: { ...user, kind: 'siteUser' } },
    });
  });
});
