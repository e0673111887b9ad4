import type { RecordedRunEvent, TriggerUse } from '../../src/areas/functions/run/run.record.js';
import type { WebhookEvent } from '../../src/areas/triggers/webhook/webhook.record.js';
import type { RecordedStepRunEvent } from '../../src/engine/step-work/step-run.record.js';
import { triggerOf } from '../../src/kernel/callers/starter.js';
import type { Recorded, RecordedEvent } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { type DocumentChange, type On, projection, remove, step } from '../../src/kernel/record/projection.js';

type First = Extract<RecordedRunEvent, { type: 'RunAccepted' | 'RunStarted' }>;
type Streamed = Pick<RecordedEvent, 'stream'>;

function latest({ stream }: Streamed, triggerId: string, at: string, functionId: string | null): DocumentChange {
  const { category, workspaceId } = parseStream(stream);
  return step<TriggerUse>('triggerUses', triggerId, (use) =>
    use !== undefined && use.lastTriggered >= at
      ? use
      : { id: triggerId, workspaceId, category, functionId, lastTriggered: at },
  );
}

const functionOf = ({ stream }: Streamed) => parseStream(stream).id;

function used(event: First): readonly DocumentChange[] {
  const triggerId = triggerOf(event.data.starter);
  return triggerId === undefined ? [] : [latest(event, triggerId, event.metadata.at, functionOf(event))];
}

const on: On<RecordedRunEvent | RecordedStepRunEvent | Recorded<WebhookEvent>> = {
  // A replay of a run does not count as a use, because a caller starts it, not the trigger.
  RunAccepted: (event) => (event.data.replayOf === undefined ? used(event) : []),
  RunStarted: (event) => (event.data.accepted ? [] : used(event)),
  RunsForgotten: (event) =>
    event.data.triggers.map(({ triggerId, at }) => latest(event, triggerId, at, functionOf(event))),
  // For flows and agents, only the use of webhooks is recorded here. Their other triggers record their own use.
  StepRunAccepted: (event) => {
    const { starter } = event.data;
    return starter.kind === 'webhook' ? [latest(event, starter.id, event.metadata.at, null)] : [];
  },
  StepRunsForgotten: (event) =>
    (event.data.triggers ?? []).map(({ triggerId, at }) => latest(event, triggerId, at, null)),
  WebhookDeleted: ({ stream }) => [remove('triggerUses', parseStream(stream).id)],
};

export const triggerUsesProjection = projection({
  name: 'triggerUses',
  version: 3,
  collections: {
    triggerUses: { indexes: [{ fields: ['workspaceId', 'category'] }, { fields: ['functionId'] }] },
  },
  on,
});
