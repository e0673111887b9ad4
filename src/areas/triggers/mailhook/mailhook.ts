import type { Target } from '../../../kernel/callers/target.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { activation } from '../../../kernel/record/activation.js';
import { differing } from '../../../kernel/record/differing.js';
import type { Mailhook, MailhookEvent, MailhookFacts } from './mailhook.record.js';

/**
 * The part before the @ contains 130 random bits of the token, in lower-case letters and digits because mail servers
 * may change the case.
 */
export const localPartOf = (token: string): string => derivedId('in', `mailhook-address/${token}`).replace('_', '-');

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

export function changeMailhook(mailhook: Mailhook, changes: MailhookChanges): readonly MailhookEvent[] {
  const { name, target, projectId, isActive } = changes;
  const given = target && { targetKind: target.kind, targetRef: target.ref };
  const isRetargeted = given !== undefined && differing(mailhook, given) !== undefined;
  return [
    ...(name === undefined || name === mailhook.name ? [] : [{ type: 'MailhookRenamed', data: { name } } as const]),
    ...(isRetargeted ? [{ type: 'MailhookRetargeted', data: given } as const] : []),
    ...(projectId === undefined || projectId === mailhook.projectId ? [] : [boundTo(projectId)]),
    ...switched(mailhook, isActive),
  ];
}

const switched = activation('MailhookActivated', 'MailhookDeactivated');

export function deleteMailhook(reason: 'asked' | 'function-deleted' | 'target-gone'): readonly MailhookEvent[] {
  return [{ type: 'MailhookDeleted', data: { reason } }];
}

const boundTo = (projectId: string | null): MailhookEvent =>
  projectId === null ? { type: 'MailhookUnbound', data: {} } : { type: 'MailhookBound', data: { projectId } };
