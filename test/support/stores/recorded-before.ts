import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../src/engine/operation/calls.js';
import type { DomainEvent } from '../../../src/kernel/event/event.js';
import type { Document } from '../../../src/kernel/record/projection.js';
import type { RecordAggregate } from '../../../src/kernel/record/record.js';
import type { TestApp } from '../app.js';
import { done } from '../people.js';

/**
 * Records an event of an existing record that no operation records any more, as the log of an earlier version may
 * contain it. `event` receives the current state.
 */
export async function recordedBefore<State extends Document, Event extends DomainEvent>(
  app: TestApp,
  aggregate: RecordAggregate<State, Event>,
  id: string,
  event: (before: State) => NoInfer<Event>,
): Promise<void> {
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  const call = app.app.get(Calls).once(workspaceId, systemActor('an-earlier-version'), 'spec/recordedBefore');
  await app.app.get(CommandRunner).change(call, {
    aggregate,
    id,
    decide: (before) => [event(before as State)],
  });
}
