import type { TriggerEnding } from '../trigger-deletion.api.js';
import { deleteMailhook } from './mailhook.js';
import { type Mailhook, type MailhookEvent, mailhooks } from './mailhook.record.js';

/** Their addresses and mail are deleted by the saga that follows the deletion. */
export const mailhookEnding: TriggerEnding<Mailhook, MailhookEvent> = {
  kind: mailhooks,
  delete: (_, reason) => deleteMailhook(reason),
};
