import { hash } from 'node:crypto';
import type { Actor, DomainEvent } from '../../../kernel/event.js';
import type { FunctionOwnerKind, Owned } from '../../../kernel/function-owner.js';
import type { Json, JsonObject } from '../../../kernel/json.js';
import type { Document } from '../../../kernel/projection.js';
import { record } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';
import type { RunBy } from '../../../kernel/run-by.js';
import type { Undo } from '../../../kernel/undo.js';
import { ownerRules } from './function-owner.api.js';
import {
  beginning,
  type FunctionVersion,
  nextNumber,
  savedDraft,
  savedLive,
  type VersionSaved,
  wentLive,
} from './function-version.js';

/** What a function may reach (Automations API, Grants). Replaced whole; what was left out is empty. */
export interface Grants {
  readonly bases: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
  readonly databaseIds: readonly string[];
  readonly connections: readonly { readonly id: string; readonly tools?: readonly string[] }[];
  readonly serviceTools: readonly string[];
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

/** 256 KB of UTF-8. */
export const largestCode = 256 * 1024;

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

export const definitionKeys = ['code', 'grants', 'accessRules', 'toolSpec', 'timeout', 'maxRetries'] as const;

/** Powers (Automations API). `service` is Full data access. */
export const powers = ['service', 'email', 'env', 'users', 'entitlements', 'social', 'agents'] as const;
export type Power = (typeof powers)[number];

/** `workspace`: what a page starts reads and changes every row of the sites it was given. */
export type IdentityMode = 'as_set_up' | 'workspace';

/** A secret that a function may use, and where it may send it: nowhere, only to check signatures, when there are none. */
export interface FunctionSecret {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly keyFormat?: KeyFormat;
}

export interface KeyFormat {
  readonly encoding: 'utf8' | 'base64' | 'hex';
  readonly prefix?: string;
}

type Saved = Partial<FunctionDefinition> & Partial<VersionSaved>;

export type FunctionEvent =
  | DomainEvent<'FunctionCreated', Owned & FunctionDetails & FunctionDefinition & { readonly versionId?: string }>
  | DomainEvent<'FunctionDetailsChanged', Partial<FunctionDetails>>
  /** Live at once. */
  | DomainEvent<'FunctionDefinitionChanged', Saved>
  /** What differs from the open draft or, where there is none, from what is live. */
  | DomainEvent<'FunctionDraftSaved', Partial<FunctionDefinition> & VersionSaved>
  | DomainEvent<'FunctionPublished', { readonly versionId: string }>
  | DomainEvent<'FunctionRolledBack', FunctionDefinition & { readonly versionId: string }>
  | DomainEvent<'FunctionPowersGiven', { readonly powers: readonly Power[] }>
  | DomainEvent<'FunctionPowersTaken', { readonly powers: readonly Power[]; readonly undo: Undo }>
  | DomainEvent<'FunctionIdentityModeSet', { readonly mode: IdentityMode }>
  | DomainEvent<'FunctionSecretsGiven', { readonly secrets: readonly FunctionSecret[] }>
  | DomainEvent<'FunctionSecretsTaken', { readonly secrets: readonly FunctionSecret[]; readonly undo: Undo }>
  | DomainEvent<'FunctionUndone', { readonly undo: string }>
  | DomainEvent<'FunctionActivated', object>
  | DomainEvent<'FunctionDeactivated', object>
  | DomainEvent<'FunctionDeleted', object>;

/** The open draft: all that its version is made of. */
export interface Draft extends FunctionDefinition {
  readonly versionId: string;
  readonly writer: Actor;
}

/** A function of the workspace or, with a `projectId`, of a site. */
export interface AccountFunction extends Document, Owned, FunctionDetails, FunctionDefinition {
  readonly isActive: boolean;
  /** Newest last; only the newest are kept. */
  readonly versions: readonly FunctionVersion[];
  readonly liveVersionId: string;
  readonly draft: Draft | null;
  readonly capabilities: readonly Power[];
  readonly identityMode: IdentityMode;
  readonly secrets: readonly FunctionSecret[];
  /** The last thing that happened was taking something away: what stood there before. */
  readonly undo: (Undo & { readonly before: Pick<AccountFunction, 'capabilities' | 'secrets'> }) | null;
  readonly createdAt: string;
  /** Grows with every stored change, also within one millisecond. */
  readonly updatedAt: string;
}

/**
 * The functions of one kind of owner. Each kind has streams and a read model of its own, so that no operation on those of
 * the workspace finds one of a site, or the other way round. Made once for a kind: it enters the list of audited records.
 */
export const functionsOwnedBy = (owner: FunctionOwnerKind) =>
  record<AccountFunction, FunctionEvent>()({
    category: ownerRules[owner].category,
    auditedFor: 'functions.read',
    limited: true,
    missing: () => refuse('function-not-found'),
    begins: {
      FunctionCreated: ({ data: { versionId, ...data }, metadata }, ids) => ({
        ...ids,
        ...data,
        ...beginning(versionId ?? `${ids.id}.1`, data.code, metadata),
        isActive: ownerRules[owner].beginsActive,
        draft: null,
        capabilities: [],
        identityMode: 'as_set_up',
        secrets: [],
        undo: null,
        createdAt: metadata.at,
        updatedAt: metadata.at,
      }),
    },
    continues: {
      FunctionDetailsChanged: (fn, { data, metadata }) => ({ ...fn, ...data, ...touched(fn, metadata.at) }),
      FunctionDefinitionChanged: (fn, { data: { versionId, linesChanged, ...data }, metadata }) => ({
        ...fn,
        ...data,
        ...savedLive(
          fn,
          { versionId: versionId ?? `${fn.id}.${nextNumber(fn.versions)}`, linesChanged: linesChanged ?? 0 },
          metadata,
        ),
        ...touched(fn, metadata.at),
      }),
      FunctionDraftSaved: (fn, { data: { versionId, linesChanged, ...data }, metadata }) => ({
        ...fn,
        draft: { ...definitionOf(fn.draft ?? fn), ...data, versionId, writer: metadata.actor },
        ...savedDraft(fn, { versionId, linesChanged }, metadata),
        ...touched(fn, metadata.at),
      }),
      FunctionPublished: (fn, { data: { versionId }, metadata }) => ({
        ...fn,
        ...(fn.draft ? definitionOf(fn.draft) : {}),
        draft: null,
        ...wentLive(fn, versionId, metadata),
        ...touched(fn, metadata.at),
      }),
      FunctionRolledBack: (fn, { data: { versionId, ...definition }, metadata }) => ({
        ...fn,
        ...definition,
        ...wentLive(fn, versionId, metadata),
        ...touched(fn, metadata.at),
      }),
      FunctionPowersGiven: (fn, { data, metadata }) => ({
        ...fn,
        capabilities: powers.filter((power) => fn.capabilities.includes(power) || data.powers.includes(power)),
        ...touched(fn, metadata.at),
      }),
      FunctionPowersTaken: (fn, { data, metadata }) => ({
        ...fn,
        capabilities: fn.capabilities.filter((power) => !data.powers.includes(power)),
        ...touched(fn, metadata.at),
        undo: { ...data.undo, before: before(fn) },
      }),
      FunctionIdentityModeSet: (fn, { data, metadata }) => ({
        ...fn,
        identityMode: data.mode,
        ...touched(fn, metadata.at),
      }),
      FunctionSecretsGiven: (fn, { data, metadata }) => ({ ...fn, secrets: data.secrets, ...touched(fn, metadata.at) }),
      FunctionSecretsTaken: (fn, { data, metadata }) => ({
        ...fn,
        secrets: data.secrets,
        ...touched(fn, metadata.at),
        undo: { ...data.undo, before: before(fn) },
      }),
      FunctionUndone: (fn, { metadata }) => ({ ...fn, ...fn.undo?.before, ...touched(fn, metadata.at) }),
      FunctionActivated: (fn, { metadata }) => ({ ...fn, isActive: true, ...touched(fn, metadata.at) }),
      FunctionDeactivated: (fn, { metadata }) => ({ ...fn, isActive: false, ...touched(fn, metadata.at) }),
      FunctionDeleted: () => undefined,
    },
  });

export const accountFunctions = functionsOwnedBy('workspace');

/** Whatever is stored ends the time in which the change before could be undone. */
function touched(fn: AccountFunction, at: string): Pick<AccountFunction, 'updatedAt' | 'undo'> {
  if (at > fn.updatedAt) return { updatedAt: at, undo: null };
  return { updatedAt: new Date(Date.parse(fn.updatedAt) + 1).toISOString(), undo: null };
}

const before = ({ capabilities, secrets }: AccountFunction) => ({ capabilities, secrets });

export function definitionOf(of: FunctionDefinition): FunctionDefinition {
  const { code, grants, accessRules, toolSpec, timeout, maxRetries } = of;
  return { code, grants, accessRules, toolSpec, timeout, maxRetries };
}

/** Its saves and publications are high risk: what it does, it does with all rows of the sites it was given. */
export function hasFullDataAccess({ capabilities, identityMode }: AccountFunction): boolean {
  return capabilities.includes('service') || identityMode === 'workspace';
}

/** Changes whenever anything stored of the function changes (settled question Q-G12). */
export function versionOf(fn: AccountFunction): string {
  return hash('sha256', JSON.stringify(fn), 'hex').slice(0, 32);
}
