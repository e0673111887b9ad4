import { Injectable } from '@nestjs/common';
import type { Run } from '../../../../projections/automations/run.projection.js';
import { Reads } from '../../../engine/reads.js';
import type { Actor } from '../../../kernel/event.js';
import type { JsonObject } from '../../../kernel/json.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { Starter } from '../../../kernel/starter.js';
import { Clock } from '../../../ports/clock.port.js';
import type { RunRequest } from '../../../ports/function-runs.port.js';
import { type Message, Messages } from '../../../ports/messages.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { ended, FunctionRunner, ProcessName } from './function-runner.js';
import { runInputName } from './run.events.js';
import { startsAgainAfterLoss } from './run.js';
import { RunJournal, type RunOrigin } from './run-journal.js';

export const runRequests = 'run-requests';

/** Runs of one function keep their order; functions do not wait for one another. */
export function runMessage(workspaceId: string, functionId: string, runId: string): Message {
  return { id: runId, key: `${workspaceId}/${functionId}`, value: { workspaceId, runId } };
}

const lost = 'The service stopped while this run was going.';

/** Runs what was accepted, and settles what a process that is gone left open. */
@Injectable()
export class RunWork {
  constructor(
    private readonly store: ReadStore,
    private readonly reads: Reads,
    private readonly runner: FunctionRunner,
    private readonly journal: RunJournal,
    private readonly messages: Messages,
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly process: ProcessName,
  ) {}

  async start(concurrency: number): Promise<void> {
    await this.settleOpenRuns();
    await this.messages.consume({ topic: runRequests, concurrency, handle: (message) => this.handle(message) });
  }

  /** Every run that is not this process's was left open by one that stopped. */
  private async settleOpenRuns(): Promise<void> {
    const open = await this.store.find<Run>('runs', { where: { status: { in: ['queued', 'running'] } } });
    for (const run of open.filter(({ process }) => process !== this.process.value)) await this.settle(run);
  }

  private async settle(run: Run): Promise<void> {
    const again = run.accepted && (run.status === 'queued' || startsAgainAfterLoss(run.attempts.length));
    if (run.status === 'running' || !again) {
      const retryAt = again ? new Date(this.clock.now()).toISOString() : null;
      await this.journal.write(originOf(run), [ended(run.id, attemptToEnd(run), lost, retryAt)]);
    }
    if (again) await this.messages.publish(runRequests, runMessage(run.workspaceId, run.functionId, run.id));
  }

  private async handle({ value }: Message): Promise<void> {
    const { workspaceId, runId } = value as { workspaceId: string; runId: string };
    const run = await this.reads.get<Run>(workspaceId, 'runs', runId);
    // Its attempt is over, or the message would not come again, but the end of it could not be recorded yet.
    if (run?.status === 'running') throw new Error(`The last attempt of run ${runId} is not recorded yet.`);
    if (run === undefined || run.status !== 'queued') return;
    await this.waitUntil(run.retryAt);
    const params = await this.inputOf(run);
    if (params === undefined) return this.give(run, 'The input of this run is no longer kept, so it was not run.');
    await this.attempt(run, { ...originOf(run), ...run, runId: run.id, params });
    await this.vault.destroy(runInputName(workspaceId, runId));
  }

  private async attempt(run: Run, request: RunRequest): Promise<void> {
    for (let number = run.attempts.length + 1; ; number++) {
      const retryInMs = await this.once(run, request, number);
      if (retryInMs === undefined) return;
      await new Promise<void>((resolve) => this.clock.after(retryInMs, resolve));
    }
  }

  /** A function deleted meanwhile ends its accepted runs; a store that is away makes the message come again. */
  private async once(run: Run, request: RunRequest, number: number): Promise<number | undefined> {
    try {
      return (await this.runner.attempt(request, number, true)).retryInMs;
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== 'not-found') throw error;
      await this.give(run, 'The function was deleted before this run began.');
      return undefined;
    }
  }

  private async give(run: Run, error: string): Promise<void> {
    await this.journal.write(originOf(run), [ended(run.id, attemptToEnd(run), error, null)]);
  }

  private async inputOf(run: Run): Promise<JsonObject | undefined> {
    const sealed = await this.vault.open(runInputName(run.workspaceId, run.id));
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as JsonObject);
  }

  private async waitUntil(at: string | null): Promise<void> {
    const ms = at === null ? 0 : Date.parse(at) - this.clock.now();
    if (ms > 0) await new Promise<void>((resolve) => this.clock.after(ms, resolve));
  }
}

/** The attempt that is going or, between two of them, the one that will not be made. */
function attemptToEnd({ status, attempts }: Run): number {
  return status === 'running' ? attempts.length : attempts.length + 1;
}

function originOf({ workspaceId, functionId, id, starter, correlationId }: Run): RunOrigin {
  return { workspaceId, functionId, runId: id, actor: actorOf(starter), correlationId, causationId: null };
}

function actorOf(starter: Starter): Actor {
  switch (starter.kind) {
    case 'member':
      return { kind: 'person', id: starter.id, name: starter.name };
    case 'agent':
      return { kind: 'agent', id: starter.id, name: starter.name, personBehind: starter.person };
    case 'webhook':
      return { kind: 'webhook', id: starter.id, name: 'Webhook' };
    case 'automation':
    case 'flow':
    case 'function':
      return { kind: starter.kind, id: starter.id, name: starter.name };
  }
}
