import type { MailhookUse } from '../../../../projections/triggers/inbound-email.projection.js';
import type { MailhookView } from './mailhook.operations.js';
import type { Mailhook } from './mailhook.record.js';

export function mailhookView(mailhook: Mailhook, use: MailhookUse | undefined): MailhookView {
  const { id, name, targetKind, targetRef, projectId, isActive, keepInput } = mailhook;
  const { receivedCount = 0, lastReceivedAt = null } = use ?? {};
  return { id, name, targetKind, targetRef, projectId, isActive, keepInput, receivedCount, lastReceivedAt };
}
