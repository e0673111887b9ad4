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
  /** Derived from the run's cause. Starting a run again with the same id has no effect. */
  readonly runId: string;
  readonly input: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly eventDepth: number;
  /** Set if a key that never deletes caused the run. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Whether the input is stored if the run fails, so that the run can be replayed. Default: true. */
  readonly keepInput?: boolean;
  /** Whether the input includes files. Default: false. */
  readonly hasFiles?: boolean;
}

export interface TargetHandler {
  find(workspaceId: string, ref: string): Promise<KnownTarget | undefined>;
  /**
   * Does nothing if the target does not exist. If omitted, every caller who may create triggers may start the target.
   * @throws Refusal
   */
  checkStarter?(workspaceId: string, ref: string, starter: Starter): Promise<void>;
  /**
   * When the promise resolves, the starts are durable: each run begins at least once, soon, in any order. If a target
   * is inactive, its run fails with an error that contains 'target is INACTIVE'.
   * @throws Refusal not-found if one of the targets does not exist; the other runs may or may not have been started
   */
  start(starts: readonly TargetStart[]): Promise<void>;
  /** Returns undefined if there is no such run. */
  isGoing(workspaceId: string, runId: string): Promise<boolean | undefined>;
}

@Injectable()
export class Targets {
  private readonly handlers = new Map<TargetKind, TargetHandler>();
  private readonly switches = new Map<TargetKind, (workspaceId: string) => Promise<boolean>>();

  register(kind: TargetKind, handler: TargetHandler): void {
    this.handlers.set(kind, handler);
  }

  /** @throws Refusal target-kind-unavailable */
  async find(workspaceId: string, { kind, ref }: Target): Promise<KnownTarget | undefined> {
    return this.handlerOf(kind).find(workspaceId, ref);
  }

  /**
   * Like `TargetHandler.checkStarter`.
   * @throws Refusal of the handler, or target-kind-unavailable
   */
  async checkStarter(workspaceId: string, { kind, ref }: Target, starter: Starter): Promise<void> {
    await this.handlerOf(kind).checkStarter?.(workspaceId, ref, starter);
  }

  /** Registers the feature switch of a kind. A kind without a switch is always on. */
  switchedBy(kind: TargetKind, isOn: (workspaceId: string) => Promise<boolean>): void {
    this.switches.set(kind, isOn);
  }

  async isOn(workspaceId: string, kind: TargetKind): Promise<boolean> {
    return (await this.switches.get(kind)?.(workspaceId)) ?? true;
  }

  /** @throws Refusal site-targets-off, target-kind-unavailable, target-not-found */
  async require(workspaceId: string, target: Target): Promise<KnownTarget> {
    if (!(await this.isOn(workspaceId, target.kind))) refuse('site-targets-off');
    return (await this.find(workspaceId, target)) ?? refuse('target-not-found', { kind: target.kind });
  }

  /**
   * Returns undefined if there is no such run.
   * @throws Refusal target-kind-unavailable
   */
  async isGoing(workspaceId: string, { kind }: Target, runId: string): Promise<boolean | undefined> {
    return this.handlerOf(kind).isGoing(workspaceId, runId);
  }

  /**
   * Like `TargetHandler.start`, for targets of any kinds.
   * @throws Refusal of the handlers, or target-kind-unavailable
   */
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
