import { allOperations, findOperation } from '../../../../engine/operation/operation.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { refuse } from '../../sites.refusals.js';
import type { AiPermissions, Project, ProjectEvent } from '../project.record.js';

/**
 * Returns the key that the agent lacks, or undefined if it may use the operation. Empty permissions allow all
 * operations.
 */
export function aiPermissionFor(operation: string, permissions: AiPermissions): string | undefined {
  if (isEmpty(permissions)) return undefined;
  const group = findOperation(operation)?.group;
  if (group === undefined) return operation;
  const key = keyOf(group, operation);
  return allows(permissions, key) ? undefined : key;
}

/**
 * Empty permissions allow everything. In all others, an omitted key forbids its area or operation, as `false` does.
 * @throws Refusal
 */
export function updateAiPermissions({ aiPermissions: before }: Project, after: AiPermissions): readonly ProjectEvent[] {
  if (Object.values(after).some((allowed) => typeof allowed !== 'boolean')) {
    refuseInput([{ path: 'aiPermissions', message: 'must have true or false for each key' }]);
  }
  const known = knownKeys();
  const keys = Object.keys(after);
  const unknown = keys.filter((key) => !known.has(key));
  if (unknown.length > 0) {
    const at = unknown.map((key) => `aiPermissions.${key}`);
    refuse('ai-permission-unknown', { keys: unknown.slice(0, 10) }, { at, keys: unknown });
  }
  const widening = wideningKeys(before, after);
  if (widening.length > 0) refuse('ai-permissions-widen', undefined, { widening });
  const isSame = keys.length === Object.keys(before).length && keys.every((key) => before[key] === after[key]);
  return isSame ? [] : [{ type: 'ProjectAiPermissionsSet', data: { aiPermissions: after } }];
}

/**
 * A list of all operations of an area does not include operations that later versions add, but `<area>:*` does. So
 * replacing the list by `<area>:*` widens the permissions.
 */
function wideningKeys(before: AiPermissions, after: AiPermissions): readonly string[] {
  if (isEmpty(before)) return [];
  if (isEmpty(after)) return ['*'];
  return Object.keys(after).filter((key) => after[key] === true && !allows(before, key));
}

function allows(permissions: AiPermissions, key: string): boolean {
  return permissions[key] === true || permissions[`${key.slice(0, key.indexOf(':'))}:*`] === true;
}

function knownKeys(): ReadonlySet<string> {
  return new Set(allOperations().flatMap(({ group, name }) => [`${group}:*`, keyOf(group, name)]));
}

const isEmpty = (permissions: AiPermissions) => Object.keys(permissions).length === 0;
const keyOf = (group: string, operation: string) => `${group}:${operation.slice(operation.indexOf('/') + 1)}`;
