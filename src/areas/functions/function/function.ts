import { type FunctionOwner, ownedBy, workspaceOwner } from '../../../kernel/callers/function-owner.js';
import { checkCondition, type Known, nothingKnown } from '../../../kernel/condition/check-condition.js';
import type { Place } from '../../../kernel/condition/places.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { checkProgram } from '../../../sandbox/program.js';
import { refuse } from '../functions.refusals.js';
import {
  type AccessRules,
  type FunctionDefinition,
  type FunctionDetails,
  type FunctionEvent,
  type Grants,
  largestCode,
} from './function.record.js';
import { checkFunctionName } from './function-name.js';
import { ownerRules } from './function-owner.api.js';
import { checkToolSpec } from './tool-spec/tool-spec.js';

/** Callers may also send `capabilities` (powers). They are ignored, because another operation grants powers. */
export interface GrantsInput {
  readonly bases?: readonly { readonly projectId: string; readonly access?: 'read' | 'write' }[];
  readonly databaseIds?: readonly string[];
  readonly connections?: Grants['connections'];
  readonly serviceTools?: readonly string[];
}

export interface FunctionInput {
  readonly name?: string;
  readonly description?: string;
  readonly summary?: string;
  readonly exposed?: boolean;
  readonly code?: string;
  readonly grants?: GrantsInput;
  readonly accessRules?: Partial<AccessRules>;
  readonly toolSpec?: JsonObject | null;
  readonly timeout?: number;
  readonly maxRetries?: number;
  readonly definition?: JsonObject;
}

export type CreatorGrants = Grants | undefined;

export const defaultTimeoutMs = 30_000;

/**
 * A function of a workspace is inactive at first, a function of a site is active (Automations API, States). If
 * `ofAgent` is given, it replaces the grants in the input (Automations API, Rules 6).
 */
export function createFunction(
  input: FunctionInput & { readonly name: string },
  ofAgent: CreatorGrants,
  versionId?: string,
  owner: FunctionOwner = workspaceOwner,
  known: Known = nothingKnown,
): readonly FunctionEvent[] {
  const rules = ownerRules[owner.kind];
  checkFunctionName(input.name);
  if (input.toolSpec) checkTool(input.toolSpec);
  const code = input.code ?? '';
  checkCode(code);
  const data: FunctionDetails & FunctionDefinition = {
    name: input.name,
    description: input.description ?? '',
    summary: input.summary ?? '',
    exposed: input.exposed ?? false,
    code,
    grants: ofAgent ?? wholeGrants(input.grants ?? {}),
    accessRules: {
      execute: null,
      runBy: rules.runBy,
      ...checkedFunctionRules(input.accessRules ?? {}, rules.execute, known),
    },
    toolSpec: input.toolSpec ?? null,
    timeout: input.timeout ?? defaultTimeoutMs,
    maxRetries: input.maxRetries ?? 0,
    ...(input.definition === undefined ? {} : { definition: input.definition }),
  };
  return [
    {
      type: 'FunctionCreated',
      data: { ...ownedBy(owner), ...data, ...(versionId === undefined ? {} : { versionId }) },
    },
  ];
}

export function deleteFunction(): readonly FunctionEvent[] {
  return [{ type: 'FunctionDeleted', data: {} }];
}

/** Returns whether `next` grants no more than `available`, ignoring service tools. */
export const grantsWithin = (next: Grants, available?: Grants): boolean => grantsBeyond(next, available).length === 0;

/** Describes each grant in `next` that `available` does not include, ignoring service tools. */
export function grantsBeyond(next: Grants, available: Grants = wholeGrants({})): readonly string[] {
  const bases = next.bases.filter(
    ({ projectId, access }) =>
      !available.bases.some((base) => base.projectId === projectId && (base.access === 'write' || access === 'read')),
  );
  const databases = next.databaseIds.filter((id) => !available.databaseIds.includes(id));
  const connections = next.connections.filter(
    ({ id, tools }) =>
      !available.connections.some(
        (one) =>
          one.id === id && (one.tools === undefined || (tools?.every((tool) => one.tools?.includes(tool)) ?? false)),
      ),
  );
  return [
    ...bases.map(({ projectId, access }) => `${access} access to the site ${projectId}`),
    ...databases.map((id) => `the base ${id}`),
    ...connections.map(({ id }) => `the connection ${id}`),
  ];
}

/**
 * Normalises the condition.
 * @throws Refusal invalid-input
 */
export function checkedFunctionRules(sent: Partial<AccessRules>, place: Place, known: Known): Partial<AccessRules> {
  const rules = defined(sent);
  if (rules.execute === undefined || rules.execute === null) return rules;
  const checked = checkCondition(rules.execute, { place, ...known });
  if (checked.ok) return { ...rules, execute: checked.condition as unknown as Json };
  return refuseInput(
    checked.problems.map(({ path, message }) => ({
      path: ['accessRules.execute', path].filter((part) => part !== '').join(path.startsWith('[') ? '' : '.'),
      message,
    })),
  );
}

export function checkCode(code: string): void {
  if (Buffer.byteLength(code) > largestCode) refuse('code-too-large', { limit: largestCode }, { at: 'code' });
  const checked = checkProgram(code);
  if (checked.ok) return;
  const { line, column, message, problem } = checked;
  const errors = [{ path: 'code', message: `line ${line}: ${message}` }];
  if (problem === 'import') refuse('code-import', { line }, { errors, line, column });
  refuse('code-invalid', { line, message }, { errors, line, column });
}

export function wholeGrants(sent: GrantsInput): Grants {
  return {
    bases: (sent.bases ?? []).map(({ projectId, access }) => ({ projectId, access: access ?? 'write' })),
    databaseIds: sent.databaseIds ?? [],
    connections: sent.connections ?? [],
    serviceTools: sent.serviceTools ?? [],
  };
}

export function defined<T extends object>(sent: T): Partial<T> {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export function checkTool(toolSpec: JsonObject): void {
  const wrong = checkToolSpec(toolSpec);
  if (wrong.length > 0) refuseInput(wrong);
}
