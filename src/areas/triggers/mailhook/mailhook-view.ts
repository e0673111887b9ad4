import { shown } from '../../../engine/operation/shown.js';
import type { MailhookUse } from './inbound-email.record.js';
import { MailhookView } from './mailhook.operations.js';
import type { Mailhook } from './mailhook.record.js';

export function mailhookView(mailhook: Mailhook, use: MailhookUse | undefined): MailhookView {
  return shown(MailhookView, { receivedCount: 0, lastReceivedAt: null, ...use, ...mailhook });
}
