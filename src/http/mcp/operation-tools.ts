import { failedCheck } from '../../engine/authorisation/authorisation.js';
import { toolNameOf } from '../../engine/authorisation/service-tool.js';
import { allOperations, type RegisteredOperation } from '../../engine/operation/operation.js';
import { type OpenApiSchema, wholeSchema } from '../../engine/operation/schema.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { fieldsOf, type Shape } from '../../kernel/field/field.js';
import { areaOf } from '../open-api/tags.js';

export interface OperationTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: OpenApiSchema;
  readonly operation: RegisteredOperation;
}

/**
 * Operations of these groups are never tools, because they concern approvals, keys and secrets (Sites supplement, 11).
 */
const closedGroups = ['pending-changes', 'notices', 'api-keys', 'env-vars'];
/**
 * Other operations that are never tools, because they accept or return secrets in fields that are not marked as
 * passwords.
 */
const closed = [
  'automations/setFunctionSecrets',
  'site/setFunctionSecrets',
  'flows/setFlowSecrets',
  'site/listOutgoingMail',
];

/** An operation that accepts passwords cannot be a tool, because models must not see secrets. */
export function isServed({ name, group, input }: RegisteredOperation): boolean {
  return !closedGroups.includes(group) && !closed.includes(name) && !takesPasswords(input);
}

function takesPasswords(shape: Shape, above: readonly Shape[] = []): boolean {
  if (above.includes(shape)) return false;
  return [...fieldsOf(shape).values()].some((spec) => {
    if (spec.password) return true;
    const inner =
      spec.type === 'object'
        ? spec.shape
        : spec.type === 'array' && typeof spec.items === 'function'
          ? spec.items
          : undefined;
    return inner !== undefined && takesPasswords(inner(), [...above, shape]);
  });
}

let all: ReadonlyMap<string, OperationTool> | undefined;

export function operationTools(): ReadonlyMap<string, OperationTool> {
  all ??= new Map(
    allOperations()
      .filter(isServed)
      .map((operation) => [toolNameOf(operation), toolOf(operation)]),
  );
  return all;
}

export function hasTool({ operation }: OperationTool, caller: Caller): boolean {
  return caller.areas?.includes(areaOf(operation)) !== false && failedCheck(operation, caller) === undefined;
}

function toolOf(operation: RegisteredOperation): OperationTool {
  const approval = operation.gated ? " Some of its changes require a person's approval." : '';
  return {
    name: toolNameOf(operation),
    description: `${operation.summary}${approval}`,
    inputSchema: wholeSchema(operation.input),
    operation,
  };
}
