import type { RecordedRunEvent } from '../../src/areas/automations/run/run.events.js';
import { type Change, type Document, type On, projection, step } from '../../src/kernel/projection.js';
import { triggerOf } from '../../src/kernel/starter.js';
import { parseStream } from '../../src/kernel/stream-name.js';

/** When a trigger last started a run, under the trigger's id. */
export interface TriggerUse extends Document {
  readonly functionId: string;
  readonly lastTriggered: string;
}

type First = Extract<RecordedRunEvent, { type: 'RunAccepted' | 'RunStarted' }>;

const latest = (stream: string, triggerId: string, at: string): Change => {
  const { workspaceId, id: functionId } = parseStream(stream);
  return step<TriggerUse>('triggerUses', triggerId, (use) =>
    use !== undefined && use.lastTriggered >= at ? use : { id: triggerId, workspaceId, functionId, lastTriggered: at },
  );
};

function used({ stream, data, metadata }: First): readonly Change[] {
  const triggerId = triggerOf(data.starter);
  return triggerId === undefined ? [] : [latest(stream, triggerId, metadata.at)];
}

const on: On<RecordedRunEvent> = {
  // A replay is a person's doing, not the trigger's.
  RunAccepted: (event) => (event.data.replayOf === undefined ? used(event) : []),
  RunStarted: (event) => (event.data.accepted ? [] : used(event)),
  RunsForgotten: ({ stream, data }) => data.triggers.map(({ triggerId, at }) => latest(stream, triggerId, at)),
};

export const triggerUsesProjection = projection({
  name: 'triggerUses',
  version: 2,
  collections: { triggerUses: { indexes: [{ fields: ['workspaceId'] }, { fields: ['functionId'] }] } },
  on,
});
