import { derivedId } from '../../../engine/derived-id.js';
import type { Target } from '../../../kernel/target.js';
import type { Mailhook, MailhookEvent, MailhookFacts } from './mailhook.record.js';

/**
 * What stands before the @: 130 random bits of the token. Lower case and digits alone, because mail servers on the way
 * may change the case of it.
 */
export const localPartOf = (token: string): string => derivedId('in', `mailhook-address/${token}`).replace('_', '-');

/** Finds addresses of mailhooks in a text, so that none is shown where it need not be. */
export const localPartForm = /\bin-[0-9a-hjkmnp-tv-z]{26}\b/gi;

export function createMailhook(facts: MailhookFacts): readonly MailhookEvent[] {
  return [{ type: 'MailhookCreated', data: facts }];
}

export interface MailhookChanges {
  readonly name?: string | undefined;
  readonly target?: Target | undefined;
  readonly projectId?: string | null | undefined;
  readonly isActive?: boolean | undefined;
}

/** What is sent as it already is changes nothing. */
export function changeMailhook(mailhook: Mailhook, changes: MailhookChanges): readonly MailhookEvent[] {
  const { name, target, projectId, isActive } = changes;
  const isRetargeted =
    target !== undefined && (target.kind !== mailhook.targetKind || target.ref !== mailhook.targetRef);
  return [
    ...(name !== undefined && name !== mailhook.name ? [{ type: 'MailhookRenamed', data: { name } } as const] : []),
    ...(isRetargeted
      ? [{ type: 'MailhookRetargeted', data: { targetKind: target.kind, targetRef: target.ref } } as const]
      : []),
    ...(projectId === undefined || projectId === mailhook.projectId ? [] : [boundTo(projectId)]),
    ...(isActive === undefined || isActive === mailhook.isActive ? [] : [switchedTo(isActive)]),
  ];
}

/** Counts for what comes in from then on. */
export function switchReplay(mailhook: Mailhook, keepInput: boolean): readonly MailhookEvent[] {
  return mailhook.keepInput === keepInput ? [] : [{ type: 'MailhookReplaySwitched', data: { keepInput } }];
}

export function deleteMailhook(reason: 'asked' | 'function-deleted' | 'target-gone'): readonly MailhookEvent[] {
  return [{ type: 'MailhookDeleted', data: { reason } }];
}

const boundTo = (projectId: string | null): MailhookEvent =>
  projectId === null ? { type: 'MailhookUnbound', data: {} } : { type: 'MailhookBound', data: { projectId } };

const switchedTo = (isActive: boolean): MailhookEvent => ({
  type: isActive ? 'MailhookActivated' : 'MailhookDeactivated',
  data: {},
});
