import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import type { FiringEvent, TriggerRun } from '../../account-events/trigger-run/trigger-run.record.js';
import type { Run } from '../../functions/run/run.record.js';
import type { InboundEmail } from '../../triggers/mailhook/inbound-email.record.js';
import type { EffectRecord } from './audit-answers.api.js';
import type { AuditEntry } from './audit-reading.record.js';

export interface CauseNode extends Omit<EffectRecord, 'step' | 'position'> {
  readonly position: number;
  readonly kind: string;
  readonly inAudit?: true;
}

export function nodeOfEntry({ id, causationId, at, type, kind, resourceId, position }: AuditEntry): CauseNode {
  const resource = { kind, id: resourceId };
  return { node: 'event', id, causedBy: causationId, at, type, resource, status: null, position, kind, inAudit: true };
}

export function nodeOfFiring({ id, causationId, event, position }: FiringEvent): CauseNode {
  const { type: kind, ...subject } = event.subject;
  const resource = { kind, ...subject };
  const { occurredAt: at, name: type } = event;
  return { node: 'event', id, causedBy: causationId, at, type, resource, status: null, position, kind: 'function' };
}

/** The cause of a mail is not known, so the mail begins a chain. */
export function nodeOfMail({ id, mailhookId, receivedAt, position }: InboundEmail): CauseNode {
  const resource = { kind: 'mailhook', id: mailhookId };
  const about = { node: 'mail', id, causedBy: null, at: receivedAt, type: 'inboundEmail', resource } as const;
  return { ...about, status: null, position, kind: 'function' };
}

export function nodeOfRun(run: Run): CauseNode {
  const { id, causationId, createdAt, functionId, functionName, status, position } = run;
  const resource = { kind: 'function', id: functionId, name: functionName };
  const about = { node: 'run', id, causedBy: causationId, at: createdAt, type: 'function', resource, status };
  return { ...about, position, kind: 'function' };
}

export function nodeOfStepRun(run: StepRun, kind: 'flow' | 'agent'): CauseNode {
  const { id, causationId, createdAt, targetId, targetName, status, position } = run;
  const resource = { kind, id: targetId, name: targetName };
  const about = { node: 'run', id, causedBy: causationId, at: createdAt, type: kind, resource, status } as const;
  return { ...about, position, kind };
}

export function nodeOfSkipped({ id, eventId, createdAt, triggerId, reason, position }: TriggerRun): CauseNode {
  const resource = { kind: 'eventTrigger', id: triggerId };
  const about = { node: 'skippedRun', id, causedBy: eventId, at: createdAt, type: 'eventTrigger', resource };
  return { ...about, status: reason, position, kind: 'eventTrigger' };
}
