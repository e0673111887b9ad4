import { evolveStepRun, type RecordedStepRunEvent, type StepRun } from '../src/engine/step-work/step-run.record.js';
import { parseStream } from '../src/kernel/event/stream-name.js';
import {
  type DocumentChange,
  type On,
  type Projection,
  projection,
  put,
  remove,
  step,
} from '../src/kernel/record/projection.js';

export function stepRunsProjection(collection: string, version: number, category: string): Projection {
  const next = (event: RecordedStepRunEvent): readonly DocumentChange[] => [
    step<StepRun>(collection, parseStream(event.stream).id, (run) => evolveStepRun(run, event)),
  ];
  const on: On<RecordedStepRunEvent> = {
    StepRunAccepted: (event) => {
      const run = evolveStepRun(undefined, event);
      return run === undefined ? [] : [put(collection, run)];
    },
    StepStarted: next,
    StepEnded: next,
    StepReleased: next,
    StepRunEnded: next,
    StepRunsForgotten: ({ data }) => data.runIds.map((id) => remove(collection, id)),
  };
  const indexes = [
    { fields: ['targetId', 'position'] },
    { fields: ['causationId'] },
    { fields: ['status', 'wakeAt'] },
    { fields: ['status', 'createdAt'] },
    { fields: ['status', 'finishedAt'] },
    { fields: ['status', 'position'] },
  ];
  const declared = projection({ name: collection, version, collections: { [collection]: { indexes } }, on });
  // Selected by category, because all kinds of runs that consist of steps have the same event types.
  return { ...declared, reads: { categories: [category] } };
}
