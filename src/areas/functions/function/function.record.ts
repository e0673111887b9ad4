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
import { functionDoors } from './function-doors.js';
import { ownerRules } from './function-owner.api.js';
import { secretWords } from './function-secret-words.js';
import { type FixingPermission, liveAgain, touched, type Undoable } from './function-undo.js';
import { functionUndoing } from './function-undoing.js';
import {
  type FunctionVersion,
  firstVersion,
  nextNumber,
  savedDraft,
  savedLive,
  type VersionSaved,
  versionWords,
  wentLive,
} from './function-version.js';

/** A save replaces grants as a whole, and omitted parts become empty (Automations API, Grants). */
export interface Grants {
  readonly bases: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
  readonly databaseIds: readonly string[];
  readonly connections: readonly { readonly id: string; readonly tools?: readonly string[] }[];
  readonly serviceTools: readonly string[];
}

/** `execute` is the condition that visitors must meet, or null until one is chosen. */
export interface AccessRules {
  readonly execute: Json;
  readonly runBy: RunBy | null;
}

/** Saved at once, not in a draft, even if the setting `versions` is on (settled question Q-A19). */
export interface FunctionDetails {
  readonly name: string;
  readonly description: string;
  readonly summary: string;
  readonly exposed: boolean;
}

/** Maximum size of a function's code, in bytes of UTF-8. */
export const largestCode = 256 * 1024;

export interface FunctionDefinition {
  readonly code: Text;
  readonly grants: Grants;
  readonly accessRules: AccessRules;
  readonly toolSpec: JsonObject | null;
  /** Time limit of a run, in milliseconds: 1000 to 300000. */
  readonly timeout: number;
  /** 0 to 5. Only runs started by an automation are retried. */
  readonly maxRetries: number;
  /** Missing in functions that have code. */
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

/** `service` is Full data access (Automations API). */
export const powers = ['service', 'email', 'env', 'users', 'entitlements', 'social', 'agents'] as const;
export type Power = (typeof powers)[number];

/** With `workspace`, runs started by a page can read and change every row of the granted sites. */
export type IdentityMode = 'as_set_up' | 'workspace';

/** A secret for which no hosts are listed cannot be sent anywhere; code can only verify signatures with it. */
export type FunctionSecret = ListedSecret;

type Saved = Partial<FunctionDefinition> & Partial<VersionSaved>;

export type FunctionEvent =
  | DomainEvent<'FunctionCreated', Owned & FunctionDetails & FunctionDefinition & { readonly versionId?: string }>
  | DomainEvent<'FunctionDetailsChanged', Partial<FunctionDetails> & Undoable>
  | DomainEvent<'FunctionDefinitionChanged', Saved & Undoable>
  | DomainEvent<'FunctionAccessRulesSet', { readonly accessRules: AccessRules }>
  /** Contains the differences from the open draft or, if there is none, from the live version. */
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
  | DomainEvent<'FunctionFixingKept', FixingPermission>
  | DomainEvent<'FunctionFixingEnded', object>
  | DomainEvent<'FunctionDeleted', object>;

type Undone = FunctionDefinition &
  Pick<FunctionDocument, 'capabilities' | 'secrets' | 'exposed' | 'isActive' | 'liveVersionId'>;

export interface Draft extends FunctionDefinition {
  readonly versionId: string;
  readonly writer: Actor;
}

export interface FunctionDocument extends Document, Owned, FunctionDetails, FunctionDefinition {
  readonly isActive: boolean;
  /** The newest versions, the newest last. */
  readonly versions: readonly FunctionVersion[];
  readonly liveVersionId: string;
  readonly draft: Draft | null;
  readonly capabilities: readonly Power[];
  readonly identityMode: IdentityMode;
  readonly secrets: readonly FunctionSecret[];
  /** Permission to change the code without approval, although the function has Full data access. It can have expired. */
  readonly keepFixing?: FixingPermission;
  /** Null if the last change cannot be undone. */
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
 * Each kind of owner has its own streams and read model, so an operation on workspace functions never finds a site's
 * function, or the reverse. Must be called only once per kind, because this registers an audited record.
 */
export const functionsOwnedBy = (owner: FunctionOwnerKind) =>
  record<FunctionDocument, FunctionEvent>()({
    category: ownerRules[owner].category,
    sentences: { ...versionWords, ...secretWords },
    ...ownerRules[owner].audited,
    of: { project: owner === 'project' ? 'projectId' : null },
    limited: true,
    texts: ['code', 'draft.code'],
    undoing: functionUndoing(owner),
    doors: functionDoors,
    missing: ownerRules[owner].missing,
    // The read model of workspace functions is older than the option `collection`, so it has the default name.
    ...(owner === 'workspace' ? {} : { collection: ofSites }),
    begins: {
      FunctionCreated: ({ data: { versionId, ...data }, metadata }, ids) => ({
        ...ids,
        ...data,
        ...firstVersion(versionId ?? `${ids.id}.1`, data.code, metadata),
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

/**
 * Removes `keepFixing`, the permission to change code without approval, if the function no longer has Full data access.
 * Granting Full data access again then does not restore the permission.
 */
function fixedWhilePowerful({ keepFixing, ...fn }: FunctionDocument): FunctionDocument {
  return keepFixing !== undefined && hasFullDataAccess(fn) ? { ...fn, keepFixing } : fn;
}

const before = ({ capabilities, secrets }: FunctionDocument) => ({ capabilities, secrets });

/** If a save records several events with the same Undo, the Undo restores the values before the first of them. */
function undoable(fn: FunctionDocument, undo: Undo | undefined): Partial<Pick<FunctionDocument, 'undo'>> {
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

/**
 * Code with Full data access reaches all rows of its granted sites. To save or publish such a function is a high-risk
 * change.
 */
export function hasFullDataAccess(fn: Pick<FunctionDocument, 'capabilities' | 'identityMode'>): boolean {
  return fn.capabilities.includes('service') || fn.identityMode === 'workspace';
}

/** Changes whenever anything stored about the function changes (settled question Q-G12). */
export function versionOf(fn: FunctionDocument): string {
  return hash('sha256', JSON.stringify(fn), 'hex').slice(0, 32);
}
