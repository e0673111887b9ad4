import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { type CallingRun, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { FunctionRuns, type RunReport, type RunRequest } from '../run/function-runs.api.js';
import { refusedCall } from './capability-refusals.js';

/** How deep functions may call one another. */
const deepestCall = 8;

/** Runs that code starts and waits for. */
@Injectable()
export class CalledRuns {
  constructor(private readonly runs: FunctionRuns) {}

  /** What the called function returned. @throws CapabilityRefused */
  async resultOf(request: RunRequest, caller: CallingRun): Promise<Json> {
    if (request.depth > deepestCall)
      throw new CapabilityRefused(
        `Functions may call one another ${deepestCall} deep; this call would go deeper.`,
        'too-deep',
        409,
      );
    const report = await this.reportOf(request, caller);
    if (!report.ok && report.refusal) throw refusedCall(report.refusal);
    if (!report.ok) throw new CapabilityRefused(report.error, 'function-failed', 422);
    return report.result;
  }

  /** Params that do not match the schema are reported to the calling code. */
  private async reportOf(request: RunRequest, caller: CallingRun): Promise<RunReport> {
    try {
      return await this.runs.run(request, caller);
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'limited') throw refusedCall(error);
      if (!(error instanceof Refusal) || error.kind !== 'invalid') throw error;
      throw new CapabilityRefused(error.message, error.code, 400);
    }
  }
}
