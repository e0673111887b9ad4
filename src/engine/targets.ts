import { Injectable } from '@nestjs/common';
import type { Actor } from '../kernel/event.js';
import type { JsonObject } from '../kernel/json.js';
import { refuse } from '../kernel/refusal.js';
import type { RunSource, Starter } from '../kernel/starter.js';
import type { Target, TargetKind } from '../kernel/target.js';

export interface KnownTarget {
  readonly name: string;
  readonly isActive: boolean;
}

/** A trigger's start of its target. */
export interface TargetStart {
  readonly workspaceId: string;
  readonly target: Target;
  /** Derived from what led to it: started again under the same id, it is not started twice. */
  readonly runId: string;
  readonly input: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** How many triggers led to one another before this run. */
  readonly eventDepth: number;
  /** What leads to it may take nothing away, and so may the run. Left out: it may. */
  readonly neverDeletes?: boolean | undefined;
  /** The input is kept for a replay when the run fails; left out: it is. */
  readonly keepInput?: boolean;
  /** Files of its own were put away for the run; left out: none. */
  readonly hasFiles?: boolean;
}

/** Whatever can be started by triggers. */
export interface TargetLane {
  /** Undefined when it is not there. */
  find(workspaceId: string, ref: string): Promise<KnownTarget | undefined>;
  /**
   * Whether this starter may start it themselves; of one that is not there, nothing is said. Left out: whoever may make
   * triggers may. @throws Refusal
   */
  checkStarter?(workspaceId: string, ref: string, starter: Starter): Promise<void>;
  /**
   * Durable when it resolves; each runs at least once, soon, in no order. One that is inactive is a run that failed, with
   * 'target is INACTIVE' in its error.
   * @throws Refusal not-found when one of them is gone: none of them may have been started
   */
  start(starts: readonly TargetStart[]): Promise<void>;
  /** Whether a run that was started is queued or going; undefined when nothing is known of it. */
  isGoing(workspaceId: string, runId: string): Promise<boolean | undefined>;
}

/** What triggers may point at. Areas enter their lane at start. */
@Injectable()
export class Targets {
  private readonly lanes = new Map<TargetKind, TargetLane>();
  private readonly switches = new Map<TargetKind, (workspaceId: string) => Promise<boolean>>();

  enter(kind: TargetKind, lane: TargetLane): void {
    this.lanes.set(kind, lane);
  }

  /** Undefined when it is not there. @throws Refusal target-kind-unavailable */
  async find(workspaceId: string, { kind, ref }: Target): Promise<KnownTarget | undefined> {
    return this.laneOf(kind).find(workspaceId, ref);
  }

  /** As TargetLane.checkStarter. @throws Refusal also target-kind-unavailable */
  async checkStarter(workspaceId: string, { kind, ref }: Target, starter: Starter): Promise<void> {
    await this.laneOf(kind).checkStarter?.(workspaceId, ref, starter);
  }

  /** The kind may be pointed at only where this says so; without a switch it may everywhere. */
  switchedBy(kind: TargetKind, isOn: (workspaceId: string) => Promise<boolean>): void {
    this.switches.set(kind, isOn);
  }

  /** Whether the workspace lets triggers start this kind. */
  async isOn(workspaceId: string, kind: TargetKind): Promise<boolean> {
    return (await this.switches.get(kind)?.(workspaceId)) ?? true;
  }

  /** @throws Refusal site-targets-off, target-kind-unavailable, target-not-found */
  async require(workspaceId: string, target: Target): Promise<KnownTarget> {
    if (!(await this.isOn(workspaceId, target.kind))) refuse('site-targets-off');
    return (await this.find(workspaceId, target)) ?? refuse('target-not-found', { kind: target.kind });
  }

  /** As TargetLane.isGoing. @throws Refusal target-kind-unavailable */
  async isGoing(workspaceId: string, { kind }: Target, runId: string): Promise<boolean | undefined> {
    return this.laneOf(kind).isGoing(workspaceId, runId);
  }

  /** As TargetLane.start. */
  async start(starts: readonly TargetStart[]): Promise<void> {
    const kinds = new Set(starts.map(({ target }) => target.kind));
    await Promise.all(
      [...kinds].map((kind) => this.laneOf(kind).start(starts.filter(({ target }) => target.kind === kind))),
    );
  }

  private laneOf(kind: TargetKind): TargetLane {
    return this.lanes.get(kind) ?? refuse('target-kind-unavailable', { kind });
  }
}
