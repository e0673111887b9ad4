import { hash } from 'node:crypto';
import type { RunBy } from '../../../kernel/actors/run-by.js';
import type { FunctionOwnerKind, Owned } from '../../../kernel/callers/function-owner.js';
import type { Actor, DomainEvent } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import type { Undo } from '../../../kernel/record/undo.js';
import type { Text } from '../../../kernel/text/text.js';
import type { ListedSecret } from '../../../secret-text/secret-list.js';
import { ownerRules } from './function-owner.api.js';
import { secretWords } from './function-secret-words.js';
import { type KeptFixing, liveAgain, touched, type Undoable } from './function-undo.js';
import { functionUndoing } from './function-undoing.js';
import {
  beginning,
  type FunctionVersion,
  nextNumber,
  savedDraft,
  savedLive,
  type VersionSaved,
  versionWords,
  wentLive,
} from './function-version.js';

/** What a function may reach (Automations API, Grants). Always replaced as a whole; parts left out are empty. */
export interface Grants {
  readonly bases: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
  readonly databaseIds: readonly string[];
  readonly connections: readonly { readonly id: string; readonly tools?: readonly string[] }[];
  readonly serviceTools: readonly string[];
}

/** Who may start it. `execute` is a condition on callers from outside; null until one is chosen. */
export interface AccessRules {
  readonly execute: Json;
  readonly runBy: RunBy | null;
}

/** Details that a save changes at once, whatever the versions switch says (settled question Q-A19). */
export interface FunctionDetails {
  readonly name: string;
  readonly description: string;
  readonly summary: string;
  readonly exposed: boolean;
}

/** 256 KB of UTF-8. */
export const largestCode = 256 * 1024;

/** The parts of a version. */
export interface FunctionDefinition {
  readonly code: Text;
  readonly grants: Grants;
  readonly accessRules: AccessRules;
  readonly toolSpec: JsonObject | null;
  /** Milliseconds, 1000-300000. */
  readonly timeout: number;
  /** 0-5. Only runs started by an automation are retried. */
  readonly maxRetries: number;
  /** What a data function does instead of running code. Left out: it has code. */
  readonly definition?: JsonObject;
}

export const definitionKeys = [
  'code',
  'grants',
  'accessRules',
  'toolSpec',
  'timeout',
  'maxRetries',
  'definition',
] as const;

/** Powers (Automations API). `service` is Full data access. */
export const powers = ['service', 'email', 'env', 'users', 'entitlements', 'social', 'agents'] as const;
export type Power = (typeof powers)[number];

/** `workspace`: runs that a page starts read and change every row of the sites the function was granted. */
export type IdentityMode = 'as_set_up' | 'workspace';

/** Without hosts it only serves to check signatures. */
export type FunctionSecret = ListedSecret;

type Saved = Partial<FunctionDefinition> & Partial<VersionSaved>;

export type FunctionEvent =
  | DomainEvent<'FunctionCreated', Owned & FunctionDetails & FunctionDefinition & { readonly versionId?: string }>
  | DomainEvent<'FunctionDetailsChanged', Partial<FunctionDetails> & Undoable>
  | DomainEvent<'FunctionDefinitionChanged', Saved & Undoable>
  /** Of the live version and the open draft, at once. */
  | DomainEvent<'FunctionAccessRulesSet', { readonly accessRules: AccessRules }>
  /** What differs from the open draft or, without one, from the live version. */
  | DomainEvent<'FunctionDraftSaved', Partial<FunctionDefinition> & VersionSaved>
  | DomainEvent<'FunctionPublished', { readonly versionId: string } & Undoable>
  | DomainEvent<'FunctionRolledBack', FunctionDefinition & { readonly versionId: string } & Undoable>
  | DomainEvent<'FunctionPowersGiven', { readonly powers: readonly Power[] }>
  | DomainEvent<'FunctionPowersTaken', { readonly powers: readonly Power[]; readonly undo: Undo }>
  | DomainEvent<'FunctionIdentityModeSet', { readonly mode: IdentityMode }>
  | DomainEvent<'FunctionSecretsGiven', { readonly secrets: readonly FunctionSecret[] }>
  | DomainEvent<'FunctionSecretsTaken', { readonly secrets: readonly FunctionSecret[]; readonly undo: Undo }>
  | DomainEvent<'FunctionUndone', { readonly undo: string }>
  | DomainEvent<'FunctionActivated', object>
  | DomainEvent<'FunctionDeactivated', Undoable>
  | DomainEvent<'FunctionFixingKept', KeptFixing>
  | DomainEvent<'FunctionFixingEnded', object>
  | DomainEvent<'FunctionDeleted', object>;

/** What an Undo can give back. */
type Undone = FunctionDefinition &
  Pick<AccountFunction, 'capabilities' | 'secrets' | 'exposed' | 'isActive' | 'liveVersionId'>;

/** The open draft, with all parts of its version. */
export interface Draft extends FunctionDefinition {
  readonly versionId: string;
  readonly writer: Actor;
}

/** A function of the workspace or, with a `projectId`, of a site. */
export interface AccountFunction extends Document, Owned, FunctionDetails, FunctionDefinition {
  readonly isActive: boolean;
  /** Newest last. Only the newest are kept. */
  readonly versions: readonly FunctionVersion[];
  readonly liveVersionId: string;
  readonly draft: Draft | null;
  readonly capabilities: readonly Power[];
  readonly identityMode: IdentityMode;
  readonly secrets: readonly FunctionSecret[];
  /** Left out: nobody gave it, or it was taken back. */
  readonly keepFixing?: KeptFixing;
  /** Set while the last change can be undone: what was there before it. */
  readonly undo: (Undo & { readonly before: Partial<Undone> }) | null;
  readonly createdAt: string;
  /** Increases with every stored change, even within one millisecond. */
  readonly updatedAt: string;
}

const ofSites = {
  name: 'siteFunctions',
  version: 2,
  indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }, { fields: ['workspaceId', 'projectId', 'name'] }],
};

/**
 * The functions of one kind of owner. Each kind has its own streams and read model, so that an operation on workspace
 * functions can never find a site's function, or the reverse. Call this once per kind: it registers an audited record.
 */
export const functionsOwnedBy = (owner: FunctionOwnerKind) =>
  record<AccountFunction, FunctionEvent>()({
    category: ownerRules[owner].category,
    says: { ...versionWords, ...secretWords },
    ...ownerRules[owner].audited,
    of: { project: owner === 'project' ? 'projectId' : null },
    limited: true,
    texts: ['code', 'draft.code'],
    undoing: functionUndoing(owner),
    missing: ownerRules[owner].missing,
    // The read model of the workspace's functions is older than collections that records declare.
    ...(owner === 'workspace' ? {} : { collection: ofSites }),
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
      FunctionDetailsChanged: (fn, { data: { undo, ...data }, metadata }) => ({
        ...fn,
        ...data,
        ...touched(fn, metadata.at),
        ...undoable(fn, undo),
      }),
      FunctionDefinitionChanged: (fn, { data: { versionId, linesChanged, undo, ...data }, metadata }) => ({
        ...fn,
        ...data,
        ...savedLive(
          fn,
          { versionId: versionId ?? `${fn.id}.${nextNumber(fn.versions)}`, linesChanged: linesChanged ?? 0 },
          metadata,
        ),
        ...touched(fn, metadata.at),
        ...undoable(fn, undo),
      }),
      FunctionAccessRulesSet: (fn, { data, metadata }) => {
        return { ...fn, ...data, draft: fn.draft && { ...fn.draft, ...data }, ...touched(fn, metadata.at) };
      },
      FunctionDraftSaved: (fn, { data: { versionId, linesChanged, ...data }, metadata }) => ({
        ...fn,
        draft: { ...definitionOf(fn.draft ?? fn), ...data, versionId, writer: metadata.actor },
        ...savedDraft(fn, { versionId, linesChanged }, metadata),
        ...touched(fn, metadata.at),
      }),
      FunctionPublished: (fn, { data: { versionId, undo }, metadata }) => ({
        ...fn,
        ...(fn.draft ? definitionOf(fn.draft) : {}),
        draft: null,
        ...wentLive(fn, versionId, metadata),
        ...touched(fn, metadata.at),
        ...undoable(fn, undo),
      }),
      FunctionRolledBack: (fn, { data: { versionId, undo, ...definition }, metadata }) => ({
        ...fn,
        ...definition,
        ...wentLive(fn, versionId, metadata),
        ...touched(fn, metadata.at),
        ...undoable(fn, undo),
      }),
      FunctionPowersGiven: (fn, { data, metadata }) => ({
        ...fn,
        capabilities: powers.filter((power) => fn.capabilities.includes(power) || data.powers.includes(power)),
        ...touched(fn, metadata.at),
      }),
      FunctionPowersTaken: (fn, { data, metadata }) =>
        fixedWhilePowerful({
          ...fn,
          capabilities: fn.capabilities.filter((power) => !data.powers.includes(power)),
          ...touched(fn, metadata.at),
          undo: { ...data.undo, before: before(fn) },
        }),
      FunctionIdentityModeSet: (fn, { data, metadata }) =>
        fixedWhilePowerful({ ...fn, identityMode: data.mode, ...touched(fn, metadata.at) }),
      FunctionSecretsGiven: (fn, { data, metadata }) => ({ ...fn, secrets: data.secrets, ...touched(fn, metadata.at) }),
      FunctionSecretsTaken: (fn, { data, metadata }) => ({
        ...fn,
        secrets: data.secrets,
        ...touched(fn, metadata.at),
        undo: { ...data.undo, before: before(fn) },
      }),
      FunctionUndone: (fn, { metadata }) => ({
        ...fn,
        ...fn.undo?.before,
        ...liveAgain(fn, metadata),
        ...touched(fn, metadata.at),
      }),
      FunctionActivated: (fn, { metadata }) => ({ ...fn, isActive: true, ...touched(fn, metadata.at) }),
      FunctionDeactivated: (fn, { data, metadata }) => ({
        ...fn,
        isActive: false,
        ...touched(fn, metadata.at),
        ...undoable(fn, data.undo),
      }),
      FunctionFixingKept: (fn, { data, metadata }) => ({ ...fn, keepFixing: data, ...touched(fn, metadata.at) }),
      FunctionFixingEnded: ({ keepFixing: _, ...fn }, { metadata }) => ({ ...fn, ...touched(fn, metadata.at) }),
      FunctionDeleted: () => undefined,
    },
  });

export const accountFunctions = functionsOwnedBy('workspace');
export const siteFunctions = functionsOwnedBy('project');

/** The grant to fix the code ends with Full data access, so that it does not come back with it. */
function fixedWhilePowerful({ keepFixing, ...fn }: AccountFunction): AccountFunction {
  return keepFixing !== undefined && hasFullDataAccess(fn) ? { ...fn, keepFixing } : fn;
}

const before = ({ capabilities, secrets }: AccountFunction) => ({ capabilities, secrets });

/** Of several events of one save, the first one knows what was there before. */
function undoable(fn: AccountFunction, undo: Undo | undefined): Partial<Pick<AccountFunction, 'undo'>> {
  if (undo === undefined) return {};
  const { exposed, isActive, liveVersionId } = fn;
  const first = { exposed, isActive, ...definitionOf(fn), liveVersionId };
  return { undo: { ...undo, before: fn.undo?.id === undo.id ? fn.undo.before : first } };
}

export function definitionOf(of: FunctionDefinition): FunctionDefinition {
  const { code, grants, accessRules, toolSpec, timeout, maxRetries, definition } = of;
  const ofData = definition === undefined ? {} : { definition };
  return { code, grants, accessRules, toolSpec, timeout, maxRetries, ...ofData };
}

/** Its saves and publications are high risk: its code works on all rows of the sites it was granted. */
export function hasFullDataAccess(fn: Pick<AccountFunction, 'capabilities' | 'identityMode'>): boolean {
  return fn.capabilities.includes('service') || fn.identityMode === 'workspace';
}

/** Changes whenever anything stored about the function changes (settled question Q-G12). */
export function versionOf(fn: AccountFunction): string {
  return hash('sha256', JSON.stringify(fn), 'hex').slice(0, 32);
}
