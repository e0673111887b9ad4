import { Injectable } from '@nestjs/common';
import type { Owned } from '../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../kernel/callers/starter.js';
import type { Target, TargetKind } from '../../kernel/callers/target.js';
import type { Actor } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { refuse } from '../refusals/engine.refusals.js';

export interface KnownTarget extends Owned {
  readonly name: string;
  readonly isActive: boolean;
  readonly projectId?: string;
}

export interface TargetStart {
  readonly workspaceId: string;
  readonly target: Target;
  /** Id of the run, derived from the cause. Starting the same id again does not start the run twice. */
  readonly runId: string;
  readonly input: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Length of the chain of event triggers that led to this run. */
  readonly eventDepth: number;
  /** Whether the cause may not delete anything. If so, the run may not either. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Whether the input is stored for a replay if the run fails. Default: true. */
  readonly keepInput?: boolean;
  /** Whether files were stored for this run. Default: false. */
  readonly hasFiles?: boolean;
}

export interface TargetHandler {
  /** Returns undefined if it does not exist. */
  find(workspaceId: string, ref: string): Promise<KnownTarget | undefined>;
  /**
   * Checks that this starter may start the target. A target that does not exist passes. If omitted, every caller who
   * may create triggers may start it. @throws Refusal
   */
  checkStarter?(workspaceId: string, ref: string, starter: Starter): Promise<void>;
  /**
   * Starts runs, durably when the promise resolves. Each run starts at least once, soon, in any order. An inactive
   * target results in a failed run with 'target is INACTIVE' in its error. @throws Refusal not-found if one of the
   * targets is gone; the others may or may not have been started
   */
  start(starts: readonly TargetStart[]): Promise<void>;
  /** Whether a started run is queued or running. Undefined for an unknown run. */
  isGoing(workspaceId: string, runId: string): Promise<boolean | undefined>;
}

/** The targets of triggers, by kind. Areas register their handlers at start. */
@Injectable()
export class Targets {
  private readonly handlers = new Map<TargetKind, TargetHandler>();
  private readonly switches = new Map<TargetKind, (workspaceId: string) => Promise<boolean>>();

  register(kind: TargetKind, handler: TargetHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Returns undefined if the target does not exist. @throws Refusal target-kind-unavailable */
  async find(workspaceId: string, { kind, ref }: Target): Promise<KnownTarget | undefined> {
    return this.handlerOf(kind).find(workspaceId, ref);
  }

  /** See `TargetHandler.checkStarter`. @throws Refusal also target-kind-unavailable */
  async checkStarter(workspaceId: string, { kind, ref }: Target, starter: Starter): Promise<void> {
    await this.handlerOf(kind).checkStarter?.(workspaceId, ref, starter);
  }

  /**
   * Registers the switch with which a workspace can turn this kind of target off. Without a switch, the kind is always
   * on.
   */
  switchedBy(kind: TargetKind, isOn: (workspaceId: string) => Promise<boolean>): void {
    this.switches.set(kind, isOn);
  }

  /** Whether the workspace allows triggers to start this kind. */
  async isOn(workspaceId: string, kind: TargetKind): Promise<boolean> {
    return (await this.switches.get(kind)?.(workspaceId)) ?? true;
  }

  /** @throws Refusal site-targets-off, target-kind-unavailable, target-not-found */
  async require(workspaceId: string, target: Target): Promise<KnownTarget> {
    if (!(await this.isOn(workspaceId, target.kind))) refuse('site-targets-off');
    return (await this.find(workspaceId, target)) ?? refuse('target-not-found', { kind: target.kind });
  }

  /** See `TargetHandler.isGoing`. @throws Refusal target-kind-unavailable */
  async isGoing(workspaceId: string, { kind }: Target, runId: string): Promise<boolean | undefined> {
    return this.handlerOf(kind).isGoing(workspaceId, runId);
  }

  /** See `TargetHandler.start`. */
  async start(starts: readonly TargetStart[]): Promise<void> {
    const kinds = new Set(starts.map(({ target }) => target.kind));
    await Promise.all(
      [...kinds].map((kind) => this.handlerOf(kind).start(starts.filter(({ target }) => target.kind === kind))),
    );
  }

  private handlerOf(kind: TargetKind): TargetHandler {
    return this.handlers.get(kind) ?? refuse('target-kind-unavailable', { kind });
  }
}
