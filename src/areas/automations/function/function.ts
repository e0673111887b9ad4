import { isDeepStrictEqual } from 'node:util';
import type { Reservation } from '../../../engine/reservation.js';
import { fold } from '../../../kernel/aggregate.js';
import type { CallerKind } from '../../../kernel/caller.js';
import type { Recorded } from '../../../kernel/event.js';
import type { JsonObject } from '../../../kernel/json.js';
import { refuse } from '../../../kernel/refusal.js';
import { checkProgram } from '../../../sandbox/program.js';
import {
  type AccessRules,
  type AccountFunction,
  accountFunctions,
  type FunctionDefinition,
  type FunctionDetails,
  type FunctionEvent,
  type Grants,
} from './function.events.js';

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
): readonly FunctionEvent[] {
  const code = input.code ?? '';
  checkCode(code);
  const data: FunctionDetails & FunctionDefinition = {
    name: input.name,
    description: input.description ?? '',
    summary: input.summary ?? '',
    exposed: input.exposed ?? false,
    code,
    grants: ofAgent ?? wholeGrants(input.grants ?? {}),
    accessRules: { execute: input.accessRules?.execute ?? null, runBy: input.accessRules?.runBy ?? null },
    toolSpec: input.toolSpec ?? null,
    timeout: input.timeout ?? defaultTimeoutMs,
    maxRetries: input.maxRetries ?? 0,
  };
  return [{ type: 'FunctionCreated', data }];
}

/** Records what differs and nothing else; a save that changes nothing leaves `updatedAt` as it is. */
export function updateFunction(fn: AccountFunction, input: UpdateInput, by: CallerKind): readonly FunctionEvent[] {
  checkSeen(fn, input);
  if (by === 'agent') checkAgent(fn, input);
  if (input.code !== undefined && input.code !== fn.code) checkCode(input.code);
  const details = changed<FunctionDetails>(fn, {
    name: input.name,
    description: input.description,
    summary: input.summary,
    exposed: input.exposed,
  });
  const definition = changed<FunctionDefinition>(fn, {
    code: input.code,
    grants: input.grants && wholeGrants(input.grants),
    accessRules: input.accessRules && { ...fn.accessRules, ...defined(input.accessRules) },
    toolSpec: input.toolSpec,
    timeout: input.timeout,
    maxRetries: input.maxRetries,
  });
  const switched = input.isActive !== undefined && input.isActive !== fn.isActive;
  return [
    ...(details ? [{ type: 'FunctionDetailsChanged', data: details } as const] : []),
    ...(definition ? [{ type: 'FunctionDefinitionChanged', data: definition } as const] : []),
    ...(switched ? [{ type: input.isActive ? 'FunctionActivated' : 'FunctionDeactivated', data: {} } as const] : []),
  ];
}

export function deleteFunction(): readonly FunctionEvent[] {
  return [{ type: 'FunctionDeleted', data: {} }];
}

/** Function names are unique in a workspace (settled question Q-A05). */
export function functionName(name: string, holder: string): Reservation {
  return {
    category: 'functionName',
    name,
    holder,
    holds: (events, held) =>
      fold(accountFunctions, undefined, events as unknown as readonly Recorded<FunctionEvent>[])?.name === held,
  };
}

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

/** Automations API, Rules 6. */
function checkAgent(fn: AccountFunction, input: UpdateInput): void {
  if (input.grants !== undefined) refuse('agent-may-not-change', { what: "a function's grants" });
  if (input.toolSpec !== undefined && input.toolSpec?.['kind'] !== fn.toolSpec?.['kind']) {
    refuse('agent-may-not-change', { what: "a function's declared kind (toolSpec.kind)" });
  }
}

/** 256 KB of UTF-8. */
const largestCode = 256 * 1024;

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
