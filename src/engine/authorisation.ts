import type { Caller } from '../kernel/caller.js';
import type { DomainEvent } from '../kernel/event.js';
import { refuse } from '../kernel/refusal.js';
import type { Call } from './operation/call.js';
import { findOperation, type OperationSpec } from './operation/operation.js';

/**
 * Whether this caller may use this operation at all. Read-only keys and Viewers are refused every command and the queries
 * that show live links. Keys that never delete are refused operations that always take something away (delete, remove,
 * revoke).
 * @throws Refusal
 */
export function authorise(operation: OperationSpec & { readonly name: string }, caller: Caller): void {
  const about = { operation: operation.name };
  const touches = operation.effect === 'command' || operation.showsLinks === true;
  if (touches && caller.readOnly) refuse('read-only-key', about);
  if (touches && caller.role === 'viewer' && !caller.permissions.has(operation.permission))
    refuse('viewer-refused', about);
  if (operation.takesAway === true && caller.neverDeletes) refuse('key-never-deletes', about);
  if (operation.callers && !operation.callers.includes(caller.kind)) {
    refuse('caller-not-allowed', { ...about, kind: caller.kind });
  }
  if (!caller.permissions.has(operation.permission)) {
    refuse('permission-missing', { ...about, permission: operation.permission });
  }
}

/**
 * Checks the decided events before they are recorded: a key that never deletes may not take anything away with an
 * operation that only sometimes does so. @throws Refusal key-never-deletes
 */
export function authoriseEffects({ caller, operation }: Call, events: readonly DomainEvent[], before: unknown): void {
  if (!caller?.neverDeletes) return;
  const judge = findOperation(operation)?.takesAway;
  if (typeof judge !== 'function') return;
  if (events.some((event) => judge(event, before))) refuse('key-never-deletes', { operation });
}
