import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../engine/operation/validation.js';
import { uniqueName } from '../../../engine/reservation.js';
import { checkCondition } from '../../../kernel/condition/check-condition.js';
import type { Actor } from '../../../kernel/event.js';
import type { Json, JsonObject } from '../../../kernel/json.js';
import { refuse } from '../../../kernel/refusal.js';
import { checkProgram } from '../../../sandbox/program.js';
import {
  type AccessRules,
  type AccountFunction,
  accountFunctions,
  definitionOf,
  type FunctionDefinition,
  type FunctionDetails,
  type FunctionEvent,
  type Grants,
  hasFullDataAccess,
  largestCode,
} from './function.events.js';
import { linesChanged } from './lines-changed.js';
import { checkToolSpec } from './tool-spec.js';

/** Grants as they are sent: every part may be left out, and powers named here have no effect. */
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
}

export interface UpdateInput extends FunctionInput {
  readonly isActive?: boolean;
  readonly seenUpdatedAt?: string;
}

/** An agent's own grants, when an agent asks. */
export type CreatorGrants = Grants | undefined;

export const defaultTimeoutMs = 30_000;

/** Automations API, States: always starts inactive. A function made by an agent gets the agent's grants (rule 6). */
export function createFunction(
  input: FunctionInput & { readonly name: string },
  ofAgent: CreatorGrants,
  versionId?: string,
): readonly FunctionEvent[] {
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
    accessRules: { execute: null, runBy: null, ...checkedRules(input.accessRules ?? {}) },
    toolSpec: input.toolSpec ?? null,
    timeout: input.timeout ?? defaultTimeoutMs,
    maxRetries: input.maxRetries ?? 0,
  };
  return [{ type: 'FunctionCreated', data: { ...data, ...(versionId === undefined ? {} : { versionId }) } }];
}

/** Around a save: who makes it, whether versions are switched on, and the id of a version it may make. */
export interface Saving {
  readonly by: Actor;
  readonly versions: boolean;
  readonly versionId: string;
  /** What an agent may use, when an agent saves. */
  readonly ofAgent?: Grants | undefined;
}

/**
 * Records what differs and nothing else; a save that changes nothing leaves `updatedAt` as it is. With versions switched
 * on, what a version is made of goes into the open draft, and else it is live at once (Automations API, States).
 */
export function updateFunction(fn: AccountFunction, input: UpdateInput, saving: Saving): readonly FunctionEvent[] {
  checkSeen(fn, input);
  if (saving.by.kind === 'agent') checkAgent(fn, input, saving.ofAgent);
  if (input.toolSpec) checkTool(input.toolSpec);
  const details = changed<FunctionDetails>(fn, {
    name: input.name,
    description: input.description,
    summary: input.summary,
    exposed: input.exposed,
  });
  const definition = definitionChange(fn, input, saving.versions);
  const switched = input.isActive !== undefined && input.isActive !== fn.isActive;
  return [
    ...(details ? [{ type: 'FunctionDetailsChanged', data: details } as const] : []),
    ...(definition ? [saved(fn, definition, saving)] : []),
    ...(switched ? [{ type: input.isActive ? 'FunctionActivated' : 'FunctionDeactivated', data: {} } as const] : []),
  ];
}

/** What a save changes of what a version is made of: against the open draft or, where there is none, what is live. */
export function definitionChange(
  fn: AccountFunction,
  input: UpdateInput,
  versions: boolean,
): Partial<FunctionDefinition> | undefined {
  const from = versions ? (fn.draft ?? fn) : fn;
  if (input.code !== undefined && input.code !== from.code) checkCode(input.code);
  return changed<FunctionDefinition>(definitionOf(from), {
    code: input.code,
    grants: input.grants && wholeGrants(input.grants),
    accessRules: input.accessRules && { ...from.accessRules, ...checkedRules(input.accessRules) },
    toolSpec: input.toolSpec,
    timeout: input.timeout,
    maxRetries: input.maxRetries,
  });
}

/** The same writer's saves go on in the open draft; another's begins a new one on top of it (settled question Q-A20). */
function saved(fn: AccountFunction, definition: Partial<FunctionDefinition>, saving: Saving): FunctionEvent {
  const lines = (before: string) => linesChanged(before, definition.code ?? before);
  if (!saving.versions) {
    return {
      type: 'FunctionDefinitionChanged',
      data: { ...definition, versionId: saving.versionId, linesChanged: lines(fn.code) },
    };
  }
  const { draft } = fn;
  const goesOn = draft !== null && draft.writer.kind === saving.by.kind && draft.writer.id === saving.by.id;
  const code = definition.code ?? draft?.code ?? fn.code;
  return {
    type: 'FunctionDraftSaved',
    data: {
      ...definition,
      versionId: goesOn ? draft.versionId : saving.versionId,
      linesChanged: linesChanged(goesOn || draft === null ? fn.code : draft.code, code),
    },
  };
}

export function deleteFunction(): readonly FunctionEvent[] {
  return [{ type: 'FunctionDeleted', data: {} }];
}

/** Function names are unique in a workspace (settled question Q-A05). */
export const functionName = uniqueName('functionName', accountFunctions, ({ name }) => name);

function checkSeen(fn: AccountFunction, { seenUpdatedAt, ...input }: UpdateInput): void {
  const needed = input.code !== undefined || input.grants !== undefined || input.accessRules !== undefined;
  if (needed && seenUpdatedAt === undefined)
    refuse('seen-updated-at-missing', undefined, {
      errors: [{ path: 'seenUpdatedAt', message: 'is required with code, grants or accessRules' }],
    });
  if (seenUpdatedAt !== undefined && Date.parse(seenUpdatedAt) !== Date.parse(fn.updatedAt)) {
    refuse('function-changed-since', { updatedAt: fn.updatedAt }, { updatedAt: fn.updatedAt });
  }
}

/** Automations API, Rules 6: what an AI agent may never change. */
function checkAgent(fn: AccountFunction, input: UpdateInput, ofAgent: Grants | undefined): void {
  const no = (what: string) => refuse('agent-may-not-change', { what });
  if (input.grants !== undefined) no("a function's grants");
  if (input.toolSpec !== undefined && input.toolSpec?.['kind'] !== fn.toolSpec?.['kind']) {
    no("a function's declared kind (toolSpec.kind)");
  }
  if (hasFullDataAccess(fn)) no('a function that acts as the workspace');
  if (!within(fn.grants, ofAgent)) no('a function that uses sites, tables or connections that the agent may not use');
  const code = (fn.draft ?? fn).code;
  if (input.code === undefined || input.code === code) return;
  const { connections, serviceTools } = fn.grants;
  if (fn.secrets.length + fn.capabilities.length + connections.length + serviceTools.length > 0) {
    no('the code of a function that holds secrets, powers, connected apps or service tools');
  }
}

/** Whether one may use all that the other may. */
function within(wanted: Grants, held: Grants = wholeGrants({})): boolean {
  const bases = wanted.bases.every(({ projectId, access }) =>
    held.bases.some((base) => base.projectId === projectId && (base.access === 'write' || access === 'read')),
  );
  const databases = wanted.databaseIds.every((id) => held.databaseIds.includes(id));
  const connections = wanted.connections.every(({ id, tools }) =>
    held.connections.some(
      (one) =>
        one.id === id && (one.tools === undefined || (tools?.every((tool) => one.tools?.includes(tool)) ?? false)),
    ),
  );
  return bases && databases && connections;
}

/** Rules as they are kept: the condition judged and in its exact form. @throws Refusal invalid-input */
function checkedRules(sent: Partial<AccessRules>): Partial<AccessRules> {
  const rules = defined(sent);
  if (rules.execute === undefined || rules.execute === null) return rules;
  const checked = checkCondition(rules.execute, { place: 'account-function', policies: () => undefined });
  if (checked.ok) return { ...rules, execute: checked.condition as unknown as Json };
  return refuseInput(
    checked.problems.map(({ path, message }) => ({
      path: ['accessRules.execute', path].filter((part) => part !== '').join(path.startsWith('[') ? '' : '.'),
      message,
    })),
  );
}

function checkCode(code: string): void {
  if (Buffer.byteLength(code) > largestCode) refuse('code-too-large', { limit: largestCode });
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

type Sent<T> = { readonly [Key in keyof T]: T[Key] | undefined };

function changed<T extends object>(now: T, sent: Sent<T>): Partial<T> | undefined {
  const entries = Object.entries(defined(sent)).filter(
    ([key, value]) => !isDeepStrictEqual(value, now[key as keyof T]),
  );
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Partial<T>);
}

function defined<T extends object>(sent: T): Partial<T> {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function checkTool(toolSpec: JsonObject): void {
  const wrong = checkToolSpec(toolSpec);
  if (wrong.length > 0) refuseInput(wrong);
}
