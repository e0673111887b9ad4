import { Injectable } from '@nestjs/common';
import { type KnownTarget, type TargetHandler, type TargetStart, Targets } from '../../../engine/scopes/targets.js';
import { checkStarter } from '../../../kernel/actors/run-by.js';
import { type FunctionOwnerKind, ownedBy, ownerOf } from '../../../kernel/callers/function-owner.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { functionKinds } from '../function/function-kinds.api.js';
import { ownerRules } from '../function/function-owner.api.js';
import { FunctionVersionReader } from '../function/versions/function-version-reader.api.js';
import { FunctionRuns } from './function-runs.api.js';
import { RunContext } from './run-context.js';

@Injectable()
export class FunctionTarget {
  constructor(context: RunContext, runs: FunctionRuns, earlier: FunctionVersionReader, targets: Targets) {
    for (const kind of ['workspace', 'project'] as const) {
      targets.register(ownerRules[kind].targetKind, new FunctionTargetHandler(kind, context, runs, earlier));
    }
  }
}

class FunctionTargetHandler implements TargetHandler {
  constructor(
    private readonly kind: FunctionOwnerKind,
    private readonly context: RunContext,
    private readonly runs: FunctionRuns,
    private readonly earlier: FunctionVersionReader,
  ) {}

  async find(workspaceId: string, ref: string): Promise<KnownTarget | undefined> {
    const fn = await this.functionOf(workspaceId, ref);
    return fn && { ...ownedBy(ownerOf(fn)), name: fn.name, isActive: fn.isActive };
  }

  async checkStarter(workspaceId: string, ref: string, starter: Starter): Promise<void> {
    const fn = await this.functionOf(workspaceId, ref);
    if (fn !== undefined) checkStarter(fn, starter);
  }

  async isGoing(workspaceId: string, runId: string): Promise<boolean | undefined> {
    const run = await this.runs.find(workspaceId, runId);
    return run && !run.ended;
  }

  async start(starts: readonly TargetStart[]): Promise<void> {
    await Promise.all(starts.map((start) => this.startOne(start)));
  }

  private async startOne({ target, input, ...start }: TargetStart): Promise<void> {
    const { workspaceId } = start;
    const { ref: functionId } = target;
    const request = { ...start, functionId, params: input, depth: 0 };
    if (this.kind === 'workspace') return this.runs.accept(request);
    const fn = await this.functionOf(workspaceId, functionId);
    if (fn !== undefined) return this.runs.accept({ ...request, ...ownedBy(ownerOf(fn)) });
    // An earlier start with this id was accepted before the function was deleted.
    if (await this.runs.isAccepted(request)) return;
    const last =
      start.starter.kind === 'schedule' ? await this.earlier.last(workspaceId, functionId, this.kind) : undefined;
    if (last === undefined) return functionKinds[this.kind].missing();
    // A site's schedule remains after its function is deleted, and each firing is then recorded as a failed run (Sites
    // API, Run record).
    await this.runs.failGone({ ...request, ...ownedBy(ownerOf(last)) });
  }

  private functionOf(workspaceId: string, functionId: string) {
    return this.context.find({ workspaceId, functionId }, this.kind);
  }
}
