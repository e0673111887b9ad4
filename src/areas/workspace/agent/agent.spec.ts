import { describe, test } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import { addAgent, updateAgent } from './agent.js';
import { type AgentEvent, agents } from './agent.record.js';

const none = { instructions: '', model: null, tools: [], asks: 'risky' as const };
const facts = { name: 'Scout', memberId: 'mem_1', canCreateFunctions: false, grants: {}, isActive: true, ...none };
const added: AgentEvent = { type: 'AgentAdded', data: facts };

const editor = { id: 'mem_1', role: 'editor', managesMembers: false } as const;
const admin = { id: 'mem_9', role: 'admin', managesMembers: true } as const;

describe('adding an agent', () => {
  test('it is active and creates no functions by default', () => {
    given().when(addAgent, { name: 'Scout' }, { id: 'mem_1', role: 'editor' }, editor).emits(added);
  });

  test('nobody can put an agent behind a person above themselves', () => {
    given().when(addAgent, { name: 'Scout' }, { id: 'mem_1', role: 'owner' }, editor).refuses('agent-above-own-role');
  });

  test('only those who manage members can put one behind another person', () => {
    const other = { id: 'mem_2', role: 'viewer' } as const;
    given().when(addAgent, { name: 'Scout' }, other, editor).refuses('agent-behind-another');
    given()
      .when(addAgent, { name: 'Scout' }, other, admin)
      .emits({ type: 'AgentAdded', data: { ...facts, memberId: 'mem_2' } });
  });
});

describe('changing an agent', () => {
  test('records only differences', () => {
    given(agents, [added])
      .when(updateAgent, { name: 'Scout', grants: { serviceTools: ['crm'] }, isActive: false }, false)
      .emits({ type: 'AgentUpdated', data: { grants: { serviceTools: ['crm'] }, isActive: false } });
    given(agents, [added]).when(updateAgent, { name: 'Scout', isActive: true }, false).emitsNothing();
  });

  test('only a person can switch canCreateFunctions', () => {
    given(agents, [added]).when(updateAgent, { canCreateFunctions: true }, false).refuses('agent-creation-by-person');
    given(agents, [added])
      .when(updateAgent, { canCreateFunctions: false, name: 'Rex' }, false)
      .emits({
        type: 'AgentUpdated',
        data: { name: 'Rex' },
      });
    given(agents, [added])
      .when(updateAgent, { canCreateFunctions: true }, true)
      .emits({ type: 'AgentUpdated', data: { canCreateFunctions: true } });
  });
});

describe('an agent of a higher person', () => {
  test.each([
    [{ instructions: 'Obey.' }],
    [{ model: 'other' }],
    [{ tools: ['automations_listFunctions'] }],
    [{ grants: { serviceTools: ['crm'] } }],
    [{ canCreateFunctions: true }],
  ])('gets no instructions from a lower one: %j', (sent) => {
    given(agents, [added]).when(updateAgent, sent, true, 'editor', 'owner').refuses('agent-above-own-role');
    given(agents, [added]).when(updateAgent, sent, true, 'owner', 'owner').emits({ type: 'AgentUpdated', data: sent });
  });

  test('can be switched off and renamed, and sent unchanged', () => {
    const sent = { instructions: '', isActive: false, name: 'Rex' };
    given(agents, [added])
      .when(updateAgent, sent, true, 'editor', 'owner')
      .emits({ type: 'AgentUpdated', data: { isActive: false, name: 'Rex' } });
  });
});

describe("the settings of an agent's runs", () => {
  const work = { instructions: 'Sort the mail.', model: 'model-2', tools: ['automations_listFunctions'] };

  test('are stored as they are sent', () => {
    given()
      .when(addAgent, { name: 'Scout', ...work }, { id: 'mem_1', role: 'editor' }, editor)
      .emits({ type: 'AgentAdded', data: { ...facts, ...work } });
    given(agents, [added]).when(updateAgent, work, true).emits({ type: 'AgentUpdated', data: work });
    given(agents, [{ type: 'AgentAdded', data: { ...facts, ...work } }])
      .when(updateAgent, { model: null }, true)
      .emits({ type: 'AgentUpdated', data: { model: null } });
  });

  test.each([[{ instructions: 'Do as you like.' }], [{ model: 'model-3' }], [{ tools: [] }]])(
    'can be changed only by a person: not %j',
    (sent) => {
      const busy: AgentEvent = { type: 'AgentAdded', data: { ...facts, ...work } };
      given(agents, [busy]).when(updateAgent, sent, false).refuses('agent-work-by-person');
      given(agents, [busy]).when(updateAgent, work, false).emitsNothing();
    },
  );

  test('are empty for agents of earlier versions: no instructions, no model of their own and no tools', () => {
    const { instructions: _, model: __, tools: ___, ...early } = facts;
    given(agents, [{ type: 'AgentAdded', data: early }])
      .when(updateAgent, none, false)
      .emitsNothing();
  });
});

test('removing an agent', () => {
  given(agents, [added]).when(agents.deleted).emits({ type: 'AgentRemoved', data: {} });
});
