import { describe, expect, test } from '@jest/globals';
import { given, specActor, specAt, stateOf } from '../../../../test/support/given/given.js';
import type { Actor } from '../../../kernel/event/event.js';
import { createFlow, deleteFlow, flowBase, setFlowSecrets, updateFlow } from './flow.js';
import { type FlowEvent, type FlowStep, flows } from './flow.record.js';

const wait: FlowStep = { id: 'w', name: 'Wait', kind: 'wait', settings: { seconds: 1 } };
const created: FlowEvent = { type: 'FlowCreated', data: { name: 'Intake', description: '', steps: [wait] } };
const active: FlowEvent = { type: 'FlowActivated', data: {} };
const holding: FlowEvent = {
  type: 'FlowSecretsGiven',
  data: { secrets: [{ name: 'KEY', hosts: ['a.test', 'b.test'] }] },
};
const agent: Actor = { kind: 'agent', id: 'agent_1', name: 'Scout' };
const automation: Actor = { kind: 'automation', id: 'key_1', name: 'CI' };
const taking = { undoId: 'undo_1', now: Date.parse(specAt) };
const expiresAt = '2030-01-02T00:00:00.000Z';

describe('a flow', () => {
  test('is created inactive and without secrets', () => {
    given()
      .when(createFlow, { name: 'Intake', description: '', steps: [wait] })
      .emits(created);
    expect(stateOf(flows, [created])).toMatchObject({ isActive: false, secrets: [] });
  });

  test('records only differences', () => {
    given(flows, [created])
      .when(updateFlow, { name: 'Intake', steps: [wait], isActive: false }, specActor)
      .emitsNothing();
    given(flows, [created])
      .when(updateFlow, { name: 'New', isActive: true }, specActor)
      .emits({ type: 'FlowChanged', data: { name: 'New' } }, active);
  });

  test('is not saved on top of an unseen version', () => {
    given(flows, [created])
      .when(updateFlow, { seenUpdatedAt: '2029-01-01T00:00:00Z' }, specActor)
      .refuses('flow-changed-since');
  });

  test.each([agent, automation])('can be activated by a person, but not by $kind', (by) => {
    given(flows, [created])
      .when(updateFlow, { steps: [] }, by)
      .emits({ type: 'FlowChanged', data: { steps: [] } });
    given(flows, [created, active]).when(updateFlow, { steps: [] }, by).refuses('flow-needs-person');
    given(flows, [created]).when(updateFlow, { isActive: true }, by).refuses('flow-needs-person');
    given(flows, [created, holding]).when(updateFlow, { steps: [] }, by).refuses('flow-needs-person');
    given(flows, [created, active])
      .when(updateFlow, { isActive: false }, by)
      .emits({ type: 'FlowDeactivated', data: {} });
  });

  test('is gone when it is deleted', () => {
    given().when(deleteFlow).emits({ type: 'FlowDeleted', data: {} });
  });
});

describe('its secrets', () => {
  const held = stateOf(flows, [created, holding]);

  test('removed hosts are immediate, and new ones wait', () => {
    const { events, proposal } = setFlowSecrets(held, [{ name: 'KEY', hosts: ['b.test', 'c.test'] }], taking);
    const summary = "The flow 'Intake' lost some or all of its access to KEY.";
    expect(events).toEqual([
      {
        type: 'FlowSecretsTaken',
        data: {
          secrets: [{ name: 'KEY', hosts: ['b.test'] }],
          undo: { id: 'undo_1', summary, targetName: 'Intake', expiresAt },
        },
      },
    ]);
    expect(proposal).toMatchObject({
      kind: 'flow-secrets',
      summary: "Let the flow 'Intake' use KEY for b.test, c.test.",
      approver: 'editor',
      input: { secrets: [{ name: 'KEY', hosts: ['b.test', 'c.test'] }] },
    });
  });

  test('an equal list changes nothing', () => {
    expect(setFlowSecrets(held, held.secrets, taking)).toEqual({ events: [] });
  });

  test('are restored if their removal is undone', () => {
    const [taken] = setFlowSecrets(held, [], taking).events;
    if (taken === undefined) throw new Error('Nothing was taken.');
    const undone = stateOf(flows, [created, holding, taken, { type: 'FlowUndone', data: { undo: 'undo_1' } }]);
    expect(undone).toMatchObject({ secrets: held.secrets, undo: null });
  });

  test('a card depends on the steps and on the held secrets, and on nothing else', () => {
    const other: FlowEvent = { type: 'FlowChanged', data: { name: 'Other' } };
    expect(flowBase(stateOf(flows, [created, other]))).toBe(flowBase(stateOf(flows, [created])));
    const steps: FlowEvent = { type: 'FlowChanged', data: { steps: [] } };
    expect(flowBase(stateOf(flows, [created, steps]))).not.toBe(flowBase(stateOf(flows, [created])));
    expect(flowBase(held)).not.toBe(flowBase(stateOf(flows, [created])));
  });
});
