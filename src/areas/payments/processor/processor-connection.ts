import type { ProcessorMode } from '../../../ports/network/payment-processor.port.js';
import type {
  ManualPayments,
  ProcessorConnection,
  ProcessorConnectionEvent,
  ProcessorWebhook,
} from './processor-connection.record.js';

type Before = ProcessorConnection | undefined;
type Events = readonly ProcessorConnectionEvent[];

export function setMode(before: Before, projectId: string, mode: ProcessorMode): Events {
  if ((before?.mode ?? 'test') === mode) return [];
  return begun(before, projectId, [{ type: 'ProcessorModeSet', data: { projectId, mode } }]);
}

export function setManualPayments(before: Before, projectId: string, manualPayments: ManualPayments): Events {
  if ((before?.manualPayments ?? 'auto') === manualPayments) return [];
  return begun(before, projectId, [{ type: 'ManualPaymentsSet', data: { projectId, manualPayments } }]);
}

/** Replaces an earlier webhook of the same mode. */
export function registerWebhook(
  before: Before,
  projectId: string,
  mode: ProcessorMode,
  webhook: ProcessorWebhook,
): Events {
  const present = before?.[mode] ?? null;
  const replaces = present && { endpointId: present.endpointId, secretId: present.secretId };
  const data = { projectId, mode, ...webhook, replaces };
  return begun(before, projectId, [{ type: 'ProcessorWebhookRegistered', data }, ...healed(before, projectId)]);
}

export function noteProcessorTrouble(before: Before, projectId: string, problem: string): Events {
  if (before?.lastError === problem) return [];
  return begun(before, projectId, [{ type: 'ProcessorTroubleNoted', data: { projectId, problem } }]);
}

export function healed(before: Before, projectId: string): Events {
  const hadTrouble = before !== undefined && before.lastError !== null;
  return hadTrouble ? [{ type: 'ProcessorTroubleNoted', data: { projectId, problem: null } }] : [];
}

export function removeConnection({ projectId, test, live }: ProcessorConnection): Events {
  const secretIds = [test, live].flatMap((webhook) => (webhook === null ? [] : [webhook.secretId]));
  return [{ type: 'ProcessorConnectionRemoved', data: { projectId, secretIds } }];
}

const begun = (before: Before, projectId: string, events: Events): Events =>
  before === undefined ? [{ type: 'ProcessorConnectionBegun', data: { projectId } }, ...events] : events;
