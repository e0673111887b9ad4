import { Injectable } from '@nestjs/common';
import type { PendingChangeCard } from '../../../../engine/approvals/pending-changes.js';
import { RecordTexts } from '../../../../engine/commands/record-texts.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Owned } from '../../../../kernel/callers/function-owner.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import type { Run } from '../../run/run.record.js';
import {
  type FunctionDocument,
  type FunctionSecret,
  hasFullDataAccess,
  type IdentityMode,
  type Power,
} from '../function.record.js';
import { ownerRules } from '../function-owner.api.js';
import { type FunctionVersion, writtenBy } from '../function-version.js';
import { bringsTakingCode, type LiveCode } from '../rights/taking-code.api.js';
import { GuardedFunctions } from './approved-functions.js';
import { lacking } from './code-needs.js';
import { secretsKnownTo } from './gated-functions.js';

/** Number of runs shown to the person who approves, enough to see whether the function works and what starts it. */
const runsShown = 5;

interface Proposed {
  readonly card: PendingChangeCard;
  readonly input: JsonObject;
}

interface Changes {
  readonly changes: readonly { readonly path?: unknown; readonly to?: unknown }[];
}

export interface JudgedCode {
  readonly versionId: string | null;
  readonly number: number | null;
  readonly writtenBy: string;
  readonly createdAt: string;
  readonly isLive: boolean;
  readonly text: string;
}

type Holdings = Pick<FunctionDocument, 'capabilities' | 'identityMode' | 'secrets'>;

@Injectable()
export class JudgedFunctions {
  constructor(
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
    private readonly guarded: GuardedFunctions,
  ) {}

  /** Returns undefined if `kind` is not a kind of function or the function was deleted. */
  async find(workspaceId: string, kind: string, id: string): Promise<FunctionDocument | undefined> {
    const owner = Object.values(ownerRules).find(({ category }) => category === kind);
    return owner && this.reads.get<FunctionDocument>(workspaceId, owner.collection, id);
  }

  /** Whether the function has Full data access or is called by the access rules of such a function. */
  async reachesAllRows(workspaceId: string, kind: string, id: string): Promise<boolean> {
    const fn = await this.find(workspaceId, kind, id);
    if (fn === undefined) return false;
    return hasFullDataAccess(fn) || (await this.guarded.callingGate(workspaceId, fn)).guard === 'card';
  }

  /** Whether the card, once approved, would change the live code of a function that may delete, or let it delete more. */
  async bringsTakingCode(
    workspaceId: string,
    { target, changes }: Pick<PendingChangeCard, 'target'> & Changes,
  ): Promise<boolean> {
    const fn = await this.find(workspaceId, target.kind, target.id);
    if (fn === undefined) return false;
    const code = changeOf({ changes }, 'code') as LiveCode['code'] | undefined;
    const grants = changeOf({ changes }, 'grants') as LiveCode['grants'] | undefined;
    return bringsTakingCode({ code: code ?? fn.code, grants: grants ?? fn.grants }, fn);
  }

  async code(fn: FunctionDocument, { card, input }: Proposed): Promise<JudgedCode> {
    const version = versionAfter(fn, card, input);
    const by = { writtenBy: writtenBy(card.requestedBy), createdAt: card.createdAt };
    const { id = null, number = null, writtenBy: author = by.writtenBy, createdAt = by.createdAt } = version ?? {};
    const text = await this.textAfter(fn, card);
    return { versionId: id, number, writtenBy: author, createdAt, isLive: id === fn.liveVersionId, text };
  }

  async lacking(fn: FunctionDocument, { text }: JudgedCode, { card }: Proposed): Promise<readonly string[]> {
    const known = await secretsKnownTo(this.reads, fn.workspaceId, fn);
    return lacking(text, holdingsAfter(fn, card), known.hosts.keys());
  }

  /** Newest first. */
  async runs({ workspaceId, id, projectId }: FunctionDocument): Promise<readonly Run[]> {
    const ended = projectId === undefined ? {} : { status: { in: ['success', 'error'] } };
    const where = { functionId: id, ...ended };
    return this.reads.find<Run>(workspaceId, 'runs', { where, sort: [['position', 'desc']], limit: runsShown });
  }

  private async textAfter({ workspaceId, code, definition }: FunctionDocument, card: PendingChangeCard) {
    const changed = changeOf(card, 'code') ?? changeOf(card, 'definition');
    if (typeof changed === 'string') return changed;
    if (changed !== undefined || definition !== undefined) return JSON.stringify(changed ?? definition, null, 2);
    return (await this.texts.read(workspaceId, [code]))(code);
  }
}

function versionAfter(
  fn: FunctionDocument & Owned,
  card: PendingChangeCard,
  input: JsonObject,
): FunctionVersion | undefined {
  const makesOne = card.kind === 'function-save' && changeOf(card, 'code') !== undefined;
  if (makesOne) return undefined;
  const isMadeLive = card.kind === 'function-publish' || card.kind === 'function-roll-back';
  const versionId = isMadeLive ? input['versionId'] : fn.liveVersionId;
  return fn.versions.find(({ id }) => id === versionId);
}

function holdingsAfter({ capabilities, identityMode, secrets }: Holdings, card: PendingChangeCard): Holdings {
  return {
    capabilities: (changeOf(card, 'capabilities') as readonly Power[] | undefined) ?? capabilities,
    identityMode: (changeOf(card, 'identityMode') as IdentityMode | undefined) ?? identityMode,
    secrets: (changeOf(card, 'secrets') as readonly FunctionSecret[] | undefined) ?? secrets,
  };
}

const changeOf = ({ changes }: Changes, path: string): unknown => changes.find((change) => change.path === path)?.to;
