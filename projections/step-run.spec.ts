import { describe, expect, it } from '@jest/globals';
import { evolveStepRun, type RecordedStepRunEvent } from '../src/engine/step-work/step-run.record.js';
import { documentsOf } from '../test/histories/folds.js';
import { historiesOf } from '../test/histories/histories.js';
import { givenProjection, SpecLog } from '../test/support/given/given-projection.js';
import { agentRunsProjection } from './agents/agent-run.projection.js';
import { flowRunsProjection } from './flows/flow.projection.js';

const runs = [
  ['flowRun', 'flowRuns', flowRunsProjection],
  ['agentRun', 'agentRuns', agentRunsProjection],
] as const;

describe.each(runs)('the read model of every %s', (category, collection, projection) => {
  it('shows the state that the worker makes of the journal, after every event', () => {
    for (const { recorded } of historiesOf(category)) {
      const replay = documentsOf(projection);
      let run: ReturnType<typeof evolveStepRun>;
      for (const { event } of recorded.filter(({ event: { stream } }) => stream.startsWith(`${category}-`))) {
        const shown = replay(event) as Record<string, readonly object[]>;
        if (event.type === 'StepRunsForgotten') continue;
        run = evolveStepRun(run, event as RecordedStepRunEvent);
        if (run !== undefined) expect(shown[collection]).toContainEqual(run);
      }
    }
  });

  it('ignores runs of other kinds', () => {
    const other = category === 'flowRun' ? 'agentRun' : 'flowRun';
    const log = new SpecLog().add(other, 'r_1', { type: 'StepRunAccepted', data: {} });
    givenProjection(projection, log).showsNothing();
  });
});
