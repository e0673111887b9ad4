import type { MailhookUse } from '../../../../projections/triggers/inbound-email.projection.js';
import { shown } from '../../../engine/operation/shown.js';
import { MailhookView } from './mailhook.operations.js';
import type { Mailhook } from './mailhook.record.js';

export function mailhookView(mailhook: Mailhook, use: MailhookUse | undefined): MailhookView {
  return shown(MailhookView, { receivedCount: 0, lastReceivedAt: null, ...use, ...mailhook });
}
