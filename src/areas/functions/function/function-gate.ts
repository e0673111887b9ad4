import { Injectable } from '@nestjs/common';
import { CommandRunner, type WantedName } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Waiting } from '../../../engine/operation/waiting.js';
import {
  type ApprovedChange,
  ChangeTargets,
  type GatedTarget,
  PendingChanges,
  type UndoableTarget,
} from '../../../engine/pending-changes.js';
import { Reads } from '../../../engine/reads.js';
import type { Json, JsonObject } from '../../../kernel/json.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { type EnvVar, type KnownSecrets, knownSecrets } from '../../secrets/env-var/env-var.record.js';
import { freshSettings, type Settings, type Workspace } from '../../workspace/workspace/workspace.record.js';
import { applyChange } from './apply-change.js';
import type { FunctionChange } from './asked-save.js';
import { type AccountFunction, accountFunctions } from './function.record.js';
import { baseOf, changeKinds, type Outcome } from './function-changes.js';
import { wantedName } from './function-name.js';
import { functionRecord } from './function-view.js';

interface Showing {
  /** What the answer shows of the function when it is done; the whole record when it is not. */
  readonly show?: (fn: AccountFunction) => object;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly reserves?: (fn: AccountFunction | undefined) => readonly WantedName[];
}

/** Changes of functions that a person may have to approve: what happens at once happens, the rest becomes a card. */
@Injectable()
export class FunctionGate implements GatedTarget, UndoableTarget {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly pending: PendingChanges,
    private readonly clock: Clock,
    targets: ChangeTargets,
  ) {
    targets.gate(changeKinds, this);
    targets.undoes('function', this);
  }

  async settings(workspaceId: string): Promise<Settings> {
    return (await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId))?.settings ?? freshSettings;
  }

  /** What goes at once goes first; what waits stands on what is left. */
  async change(
    call: Call,
    id: string,
    decide: (fn: AccountFunction) => Outcome,
    { show = functionRecord, extra = {}, reserves }: Showing = {},
  ): Promise<object> {
    let outcome: Outcome | undefined;
    const fn = await this.runner.change(call, {
      aggregate: accountFunctions,
      id,
      decide: (found) => {
        outcome = decide(found ?? accountFunctions.missing());
        return outcome.events;
      },
      ...(reserves === undefined ? {} : { reserves }),
    });
    if (fn === undefined) return accountFunctions.missing();
    const undo = fn.undo === null ? {} : { undo: { id: fn.undo.id, expiresAt: fn.undo.expiresAt } };
    const { proposal } = outcome ?? repeated(fn, decide);
    if (proposal === undefined) return { ...show(fn), ...undo, ...extra };
    const target = { kind: 'function', id, name: fn.name };
    await this.checkFree(fn, proposal.input);
    const base = baseOf(fn, proposal.kind, proposal.input);
    const waits = await this.pending.propose(call, { ...proposal, target, base });
    return new Waiting({ ...functionRecord(fn), ...undo, ...extra, ...waits });
  }

  /** A card is reserved no name: one that is taken now is told of now, one that is taken by then when it is applied. */
  private async checkFree({ workspaceId, id }: AccountFunction, input: JsonObject): Promise<void> {
    const name = nameIn(input);
    const holder =
      name === undefined ? undefined : await this.reads.first<AccountFunction>(workspaceId, 'functions', { name });
    if (name !== undefined && holder !== undefined && holder.id !== id) refuse('function-name-taken', { name });
  }

  async base(
    workspaceId: string,
    { kind, targetId, input }: Omit<ApprovedChange, 'base'>,
  ): Promise<string | undefined> {
    const fn = await this.runner.find(accountFunctions, workspaceId, targetId);
    return fn && baseOf(fn, kind, input);
  }

  async standing(workspaceId: string, targetId: string, paths: readonly string[]): Promise<JsonObject | undefined> {
    const fn = await this.runner.find(accountFunctions, workspaceId, targetId);
    const held = new Map(Object.entries(fn === undefined ? {} : functionRecord(fn)) as [string, Json][]);
    return fn && Object.fromEntries(paths.map((path) => [path, held.get(path) ?? null]));
  }

  async apply(call: Call, change: ApprovedChange): Promise<void> {
    const versionId = call.newId('ver');
    const known = change.kind === 'function-secrets' ? (await this.knownSecrets(call.workspaceId)).hosts : undefined;
    const name = nameIn(change.input);
    await this.runner.change(call, {
      aggregate: accountFunctions,
      id: change.targetId,
      decide: (fn) => {
        const base = fn && baseOf(fn, change.kind, change.input);
        if (fn === undefined || base !== change.base) return refuse('pending-change-moved');
        return applyChange(fn, change, { versionId, known });
      },
      ...(name === undefined ? {} : { reserves: () => [wantedName(name, change.targetId, call)] }),
    });
  }

  async isAvailable(workspaceId: string, targetId: string, undo: string): Promise<boolean> {
    const fn = await this.reads.get<AccountFunction>(workspaceId, 'functions', targetId);
    return fn?.undo?.id === undo;
  }

  async undo(call: Call, targetId: string, undo: string): Promise<void> {
    const now = this.clock.now();
    await this.runner.change(call, {
      aggregate: accountFunctions,
      id: targetId,
      decide: (fn) => {
        if (fn?.undo?.id !== undo) refuse('undo-unavailable', { why: 'the function has changed since' });
        if (Date.parse(fn?.undo?.expiresAt ?? '') <= now) refuse('undo-unavailable', { why: 'its time is over' });
        return [{ type: 'FunctionUndone', data: { undo } }];
      },
    });
  }

  async knownSecrets(workspaceId: string): Promise<KnownSecrets> {
    return knownSecrets(await this.reads.find<EnvVar>(workspaceId, 'envVars'));
  }
}

/** The new name that a card's save gives. */
const nameIn = ({ details }: FunctionChange): string | undefined => details?.name;

/** The call came before, and what goes at once has gone: whether something waits as well is decided again. */
function repeated(fn: AccountFunction, decide: (fn: AccountFunction) => Outcome): Outcome {
  try {
    return decide(fn);
  } catch (error) {
    if (error instanceof Refusal) return { events: [] };
    throw error;
  }
}
