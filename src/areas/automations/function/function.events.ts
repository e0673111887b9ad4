import { hash } from 'node:crypto';
import type { DomainEvent } from '../../../kernel/event.js';
import type { Json, JsonObject } from '../../../kernel/json.js';
import type { Document } from '../../../kernel/projection.js';
import { record } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';

/** What a function may reach (Automations API, Grants). Replaced whole; what was left out is empty. */
export interface Grants {
  readonly bases: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
  readonly databaseIds: readonly string[];
  readonly connections: readonly { readonly id: string; readonly tools?: readonly string[] }[];
  readonly serviceTools: readonly string[];
}

export interface RunBy {
  readonly pages: boolean;
  readonly functions: readonly string[] | 'any';
  readonly agents: readonly string[] | 'any';
  /** Left out: all members. */
  readonly members?: 'all' | 'admins' | { readonly people: readonly string[] };
}

/** Who may start it: `execute` is a condition on who invokes it from outside, null until one is chosen. */
export interface AccessRules {
  readonly execute: Json;
  readonly runBy: RunBy | null;
}

/** What a save changes at once, whatever the versions switch says (settled question Q-A19). */
export interface FunctionDetails {
  readonly name: string;
  readonly description: string;
  readonly summary: string;
  readonly exposed: boolean;
}

/** What a version is made of. */
export interface FunctionDefinition {
  readonly code: string;
  readonly grants: Grants;
  readonly accessRules: AccessRules;
  readonly toolSpec: JsonObject | null;
  /** Milliseconds, 1000-300000. */
  readonly timeout: number;
  /** 0-5; only runs that an automation starts are tried again. */
  readonly maxRetries: number;
}

export type FunctionEvent =
  | DomainEvent<'FunctionCreated', FunctionDetails & FunctionDefinition>
  | DomainEvent<'FunctionDetailsChanged', Partial<FunctionDetails>>
  | DomainEvent<'FunctionDefinitionChanged', Partial<FunctionDefinition>>
  | DomainEvent<'FunctionActivated', object>
  | DomainEvent<'FunctionDeactivated', object>
  | DomainEvent<'FunctionDeleted', object>;

export interface AccountFunction extends Document, FunctionDetails, FunctionDefinition {
  readonly isActive: boolean;
  readonly createdAt: string;
  /** Grows with every stored change, also within one millisecond. */
  readonly updatedAt: string;
}

export const accountFunctions = record<AccountFunction, FunctionEvent>()({
  category: 'function',
  missing: () => refuse('function-not-found'),
  begins: {
    FunctionCreated: ({ data, metadata }, ids) => ({
      ...ids,
      ...data,
      isActive: false,
      createdAt: metadata.at,
      updatedAt: metadata.at,
    }),
  },
  continues: {
    FunctionDetailsChanged: (fn, { data, metadata }) => ({ ...fn, ...data, ...touched(fn, metadata.at) }),
    FunctionDefinitionChanged: (fn, { data, metadata }) => ({ ...fn, ...data, ...touched(fn, metadata.at) }),
    FunctionActivated: (fn, { metadata }) => ({ ...fn, isActive: true, ...touched(fn, metadata.at) }),
    FunctionDeactivated: (fn, { metadata }) => ({ ...fn, isActive: false, ...touched(fn, metadata.at) }),
    FunctionDeleted: () => undefined,
  },
});

function touched(fn: AccountFunction, at: string): Pick<AccountFunction, 'updatedAt'> {
  if (at > fn.updatedAt) return { updatedAt: at };
  return { updatedAt: new Date(Date.parse(fn.updatedAt) + 1).toISOString() };
}

/** Changes whenever anything stored of the function changes (settled question Q-G12). */
export function versionOf(fn: AccountFunction): string {
  return hash('sha256', JSON.stringify(fn), 'hex').slice(0, 32);
}
