import type { RecordedStepRunEvent } from '../../../engine/step-work/step-run.record.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { RecordedRunEvent } from '../../functions/run/run.record.js';
import type { TriggerRunEnd } from './trigger-run.record.js';

type Ending = (event: RecordedEvent) => TriggerRunEnd;

const endings: Readonly<Record<string, Ending>> = {
  RunEnded: (event) => {
    const { data, metadata } = event as unknown as Extract<RecordedRunEvent, { type: 'RunEnded' }>;
    const { runId, attempt, error, retryAt } = data;
    const status = retryAt !== null ? null : error === null ? 'ok' : 'failed';
    return { runId, attempt, status, at: metadata.at };
  },
  // Flows and agents retry single steps but never a whole run, so this end is final.
  StepRunEnded: (event) => {
    const { data, metadata } = event as unknown as Extract<RecordedStepRunEvent, { type: 'StepRunEnded' }>;
    return { runId: data.runId, attempt: 1, status: data.error === null ? 'ok' : 'failed', at: metadata.at };
  },
};

export const runEndTypes = Object.keys(endings);

export function runEndOf(event: RecordedEvent): TriggerRunEnd | undefined {
  return endings[event.type]?.(event);
}
