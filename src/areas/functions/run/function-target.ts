import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/reads.js';
import { type KnownTarget, type TargetHandler, type TargetStart, Targets } from '../../../engine/targets.js';
import { checkStarter } from '../../../kernel/run-by.js';
import type { Starter } from '../../../kernel/starter.js';
import type { AccountFunction } from '../function/function.record.js';
import { ownerRules } from '../function/function-owner.api.js';
import { FunctionRuns } from './function-runs.api.js';

const { lane, collection } = ownerRules.workspace;

/** Account functions as the targets of triggers. */
@Injectable()
export class FunctionTarget implements TargetHandler {
  constructor(
    private readonly reads: Reads,
    private readonly runs: FunctionRuns,
    targets: Targets,
  ) {
    targets.register(lane, this);
  }

  async find(workspaceId: string, ref: string): Promise<KnownTarget | undefined> {
    const fn = await this.reads.get<AccountFunction>(workspaceId, collection, ref);
    return fn && { name: fn.name, isActive: fn.isActive };
  }

  async checkStarter(workspaceId: string, ref: string, starter: Starter): Promise<void> {
    const fn = await this.reads.get<AccountFunction>(workspaceId, collection, ref);
    if (fn !== undefined) checkStarter(fn, starter);
  }

  async isGoing(workspaceId: string, runId: string): Promise<boolean | undefined> {
    const run = await this.runs.find(workspaceId, runId);
    return run && !run.ended;
  }

  async start(starts: readonly TargetStart[]): Promise<void> {
    await Promise.all(
      starts.map(({ target, input, ...start }) =>
        this.runs.accept({ ...start, functionId: target.ref, params: input, depth: 0 }),
      ),
    );
  }
}
