import { beforeEach, describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import { agents } from '../../areas/workspace/agent/agent.record.js';
import { apiKeys } from '../../areas/workspace/api-key/api-key.record.js';
import { EndingKeys } from '../../areas/workspace/api-key/ending-keys.api.js';
import { members } from '../../areas/workspace/member/member.record.js';
import { RemovedMembersLoseTheirKeys } from './removed-members-lose-their-keys.saga.js';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});

const sagaWith = (ended: readonly object[] = []) =>
  new RemovedMembersLoseTheirKeys(
    Object.assign(new EndingKeys(stage.reads, stage.runner), {
      ended: (...asked: Parameters<EndingKeys['ended']>) =>
        stage.noting<EndingKeys>({ ended: 'asks what ended with' }, ended).ended(...asked),
    }),
  );
const key = (id: string, more: object = {}) => ({
  id,
  revokedAt: null,
  agentId: null,
  memberId: null,
  makers: [],
  ...more,
});
const revoked = (id: string, reason: string) =>
  ['records', `apiKey-ws_spec.${id}`, 'ApiKeyRevoked', { reason }, id] as const;

describe('a change of rights', () => {
  it.each([
    ['member', 'MemberRemoved', {}, { memberId: 'x_1', role: undefined }],
    ['member', 'MemberUpdated', { role: 'viewer' }, { memberId: 'x_1', role: 'viewer' }],
    ['workspaceAgent', 'AgentRemoved', {}, { agentId: 'x_1' }],
  ] as const)('of a %s (%s) revokes the keys that ended with it, each once', (category, type, data, change) => {
    stage.holds(apiKeys, 'key_1', key('key_1')).holds(apiKeys, 'key_2', key('key_2', { revokedAt: 'before' }));
    const ended = ['key_1', 'key_2'].map((id) => ({ key: { id }, reason: 'member-removed' }));
    return givenSaga(sagaWith(ended), stage)
      .gets(of(category, 'x_1', { type, data }))
      .does(['asks what ended with', 'ws_spec', change], revoked('key_1', 'member-removed'));
  });

  it('that was processed before, and has been reversed since, revokes no key that was created later', () => {
    const later = { memberId: 'mem_1', createdAt: '2030-02-01T00:00:00.000Z' };
    const keys = [key('key_1', { ...later, makers: ['mem_2'] }), key('key_2', { ...later, makers: ['mem_3'] })];
    for (const one of keys) stage.holds(apiKeys, one.id, one);
    stage.holds(members, 'mem_1', { role: 'editor' }).holds(members, 'mem_2', { role: 'owner' });
    stage.holds(members, 'mem_3', { role: 'viewer' });
    return givenSaga(sagaWith(keys.map((one) => ({ key: one, reason: 'maker-demoted' }))), stage)
      .gets(of('member', 'mem_2', { type: 'MemberUpdated', data: { role: 'viewer' } }))
      .does(
        ['asks what ended with', 'ws_spec', { memberId: 'mem_2', role: 'viewer' }],
        revoked('key_2', 'maker-demoted'),
      );
  });

  it('that does not affect the role revokes nothing', () =>
    givenSaga(sagaWith(), stage)
      .gets(of('member', 'mem_1', { type: 'MemberUpdated', data: { name: 'Ada' } }))
      .doesNothing());
});

describe('a key that was created at the same time', () => {
  const created = of('apiKey', 'key_1', { type: 'ApiKeyCreated', data: {} });
  const meets = () => givenSaga(sagaWith(), stage).gets(created);

  it('remains if its member and its makers may have it', () => {
    stage.holds(apiKeys, 'key_1', key('key_1', { memberId: 'mem_1', makers: ['mem_1', 'mem_2'] }));
    stage.holds(members, 'mem_1', { role: 'viewer' }).holds(members, 'mem_2', { role: 'owner' });
    return meets().doesNothing();
  });

  it('is revoked if its member is deleted', () => {
    stage.holds(apiKeys, 'key_1', key('key_1', { memberId: 'mem_1' }));
    return meets().does(revoked('key_1', 'member-removed'));
  });

  it('is revoked if its agent is deleted', () => {
    stage.holds(apiKeys, 'key_1', key('key_1', { agentId: 'ag_1' }));
    return meets().does(revoked('key_1', 'agent-removed'));
  });

  it('is revoked if the member behind its agent is deleted', () => {
    stage.holds(apiKeys, 'key_1', key('key_1', { agentId: 'ag_1' })).holds(agents, 'ag_1', { memberId: 'mem_1' });
    return meets().does(revoked('key_1', 'member-removed'));
  });

  it.each([
    ['is gone', undefined, 'maker-removed'],
    ['may no longer make keys', { role: 'viewer' }, 'maker-demoted'],
  ] as const)('is revoked if its maker %s', (_, maker, reason) => {
    stage.holds(apiKeys, 'key_1', key('key_1', { makers: ['mem_2'] }));
    if (maker !== undefined) stage.holds(members, 'mem_2', maker);
    return meets().does(revoked('key_1', reason));
  });

  it('is not touched if it is revoked or deleted', async () => {
    await meets().doesNothing();
    stage.holds(apiKeys, 'key_1', key('key_1', { revokedAt: 'before', memberId: 'mem_9' }));
    await meets().doesNothing();
  });
});
