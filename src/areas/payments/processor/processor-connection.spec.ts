import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import {
  healed,
  noteProcessorTrouble,
  registerWebhook,
  removeConnection,
  setManualPayments,
  setMode,
} from './processor-connection.js';
import { type ProcessorConnectionEvent, processorConnections } from './processor-connection.record.js';

const projectId = 'proj_1';
const begun: ProcessorConnectionEvent = { type: 'ProcessorConnectionBegun', data: { projectId } };
const webhook = (n: number) => ({ endpointId: `we_${n}`, tokenHash: `hash ${n}`, secretId: `sec_${n}` });
const registered = (mode: 'test' | 'live', n: number, replaces: object | null = null) =>
  ({
    type: 'ProcessorWebhookRegistered',
    data: { projectId, mode, ...webhook(n), replaces },
  }) as ProcessorConnectionEvent;
const trouble = (problem: string | null): ProcessorConnectionEvent => ({
  type: 'ProcessorTroubleNoted',
  data: { projectId, problem },
});

describe('the connection of a processor', () => {
  it('begins with the first difference from the defaults', () => {
    given().when(setMode, undefined, projectId, 'test').emitsNothing();
    given().when(setManualPayments, undefined, projectId, 'auto').emitsNothing();
    given()
      .when(setMode, undefined, projectId, 'live')
      .emits(begun, { type: 'ProcessorModeSet', data: { projectId, mode: 'live' } });
    given()
      .when(setManualPayments, undefined, projectId, 'off')
      .emits(begun, { type: 'ManualPaymentsSet', data: { projectId, manualPayments: 'off' } });
  });

  it('records a mode and a choice once', () => {
    const live: ProcessorConnectionEvent = { type: 'ProcessorModeSet', data: { projectId, mode: 'live' } };
    given(processorConnections, [begun, live]).when(setMode, projectId, 'live').emitsNothing();
    given(processorConnections, [begun, live])
      .when(setMode, projectId, 'test')
      .emits({ type: 'ProcessorModeSet', data: { projectId, mode: 'test' } });
  });

  it('has one webhook for each mode: the next replaces it, and its secret', () => {
    given().when(registerWebhook, undefined, projectId, 'test', webhook(1)).emits(begun, registered('test', 1));
    given(processorConnections, [begun, registered('test', 1)])
      .when(registerWebhook, projectId, 'test', webhook(2))
      .emits(registered('test', 2, { endpointId: 'we_1', secretId: 'sec_1' }));
    given(processorConnections, [begun, registered('test', 1)])
      .when(registerWebhook, projectId, 'live', webhook(2))
      .emits(registered('live', 2));
  });

  it('records a problem once, and its end with the next webhook', () => {
    given()
      .when(noteProcessorTrouble, undefined, projectId, 'The key is wrong.')
      .emits(begun, trouble('The key is wrong.'));
    const troubled = [begun, trouble('The key is wrong.')];
    given(processorConnections, troubled).when(noteProcessorTrouble, projectId, 'The key is wrong.').emitsNothing();
    given(processorConnections, troubled).when(noteProcessorTrouble, projectId, 'Away.').emits(trouble('Away.'));
    given(processorConnections, troubled).when(healed, projectId).emits(trouble(null));
    given(processorConnections, [begun]).when(healed, projectId).emitsNothing();
    given().when(healed, undefined, projectId).emitsNothing();
    given(processorConnections, troubled)
      .when(registerWebhook, projectId, 'live', webhook(1))
      .emits(registered('live', 1), trouble(null));
  });

  it('is removed with the secrets of both modes', () => {
    given(processorConnections, [begun, registered('test', 1), registered('live', 2)])
      .when(removeConnection)
      .emits({ type: 'ProcessorConnectionRemoved', data: { projectId, secretIds: ['sec_1', 'sec_2'] } });
    given(processorConnections, [begun])
      .when(removeConnection)
      .emits({ type: 'ProcessorConnectionRemoved', data: { projectId, secretIds: [] } });
  });
});
