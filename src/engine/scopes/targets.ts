import { Injectable } from '@nestjs/common';
import type { Owned } from '../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../kernel/callers/starter.js';
import type { Target, TargetKind } from '../../kernel/callers/target.js';
import type { Actor } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { refuse } from '../refusals/engine.refusals.js';

/** `projectId`: the site that it is of. */
export interface KnownTarget extends Owned {
  readonly name: string;
  readonly isActive: boolean;
  /** Whose it is, where it belongs to a project. */
  readonly projectId?: string;
}

/** A trigger's start of its target. */
export interface TargetStart {
  readonly workspaceId: string;
  readonly target: Target;
  /** Derived from the cause: starting the same id again does not start it twice. */
  readonly runId: string;
  readonly input: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** How many event triggers led to one another before this run. */
  readonly eventDepth: number;
  /** The cause may not take anything away, so neither may the run. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Keep the input for a replay if the run fails. Default: true. */
  readonly keepInput?: boolean;
  /** Files were stored for this run. Default: false. */
  readonly hasFiles?: boolean;
}

/** A kind of target that triggers can start. */
export interface TargetHandler {
  /** Undefined when it is not there. */
  find(workspaceId: string, ref: string): Promise<KnownTarget | undefined>;
  /**
   * Checks whether this starter could start the target; passes for a target that does not exist. Left out: everybody who
   * may make triggers could. @throws Refusal
   */
  checkStarter?(workspaceId: string, ref: string, starter: Starter): Promise<void>;
  /**
   * Durable when it resolves; each runs at least once, soon, in no order. An inactive target gives a failed run with
   * 'target is INACTIVE' in its error.
   * @throws Refusal not-found when one of the targets is gone; then some or none of the others were started
   */
  start(starts: readonly TargetStart[]): Promise<void>;
  /** Whether a started run is queued or running; undefined for an unknown run. */
  isGoing(workspaceId: string, runId: string): Promise<boolean | undefined>;
}

/** The targets of triggers, by kind. Areas register their lane at start. */
@Injectable()
export class Targets {
  private readonly lanes = new Map<TargetKind, TargetHandler>();
  private readonly switches = new Map<TargetKind, (workspaceId: string) => Promise<boolean>>();

  register(kind: TargetKind, lane: TargetHandler): void {
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

  /** Lets a workspace switch this kind of target off; without a switch it is always on. */
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

  private laneOf(kind: TargetKind): TargetHandler {
    return this.lanes.get(kind) ?? refuse('target-kind-unavailable', { kind });
  }
}
