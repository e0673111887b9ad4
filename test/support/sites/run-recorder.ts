import { randomUUID } from 'node:crypto';
import type { RunEvent } from '../../../src/areas/functions/run/run.record.js';
import { RunJournal, type RunOrigin } from '../../../src/areas/functions/run/run-journal.js';
import { ProcessName } from '../../../src/engine/cluster/process-name.js';
import type { TestApp } from '../app.js';

interface RecordedFor {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly functionId: string;
}

export const newRunId = () => `run_${randomUUID()}`;

/** Records runs of a site's function that never ran, because 500 real ones would take long. */
export class RunRecorder {
  constructor(
    private readonly app: TestApp,
    private readonly about: RecordedFor,
  ) {}

  originOf(runId: string): RunOrigin {
    const { workspaceId, functionId } = this.about;
    const actor = { kind: 'system', id: 'test', name: 'test' } as const;
    return { workspaceId, functionId, runId, actor, correlationId: runId, causationId: null };
  }

  write(runId: string, events: readonly RunEvent[]) {
    return this.app.app.get(RunJournal).write(this.originOf(runId), events);
  }

  /** Records the start of a run. */
  async begin(): Promise<string> {
    const runId = newRunId();
    await this.write(runId, [this.started(runId)]);
    return runId;
  }

  end(runId: string) {
    return this.write(runId, [ended(runId)]);
  }

  async times(count: number): Promise<readonly string[]> {
    const ids = Array.from({ length: count }, newRunId);
    for (const runId of ids) await this.write(runId, [this.started(runId), ended(runId)]);
    return ids;
  }

  private started(runId: string): RunEvent {
    const { projectId } = this.about;
    const facts = { projectId, runId, functionName: 'counted', version: 'v', source: 'page' } as const;
    const starter = { kind: 'automation', id: 'page', name: 'A page' } as const;
    // Names this process, because runs of a process that has died would be recorded as ended.
    const going = { attempt: 1, process: this.app.app.get(ProcessName).value, accepted: false };
    return { type: 'RunStarted', data: { ...facts, starter, ...going } };
  }
}

const ended = (runId: string): RunEvent => ({
  type: 'RunEnded',
  data: { runId, attempt: 1, error: null, durationMs: 1, retryAt: null, logs: [] },
});
