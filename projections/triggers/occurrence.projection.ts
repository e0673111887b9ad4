import type { OccurrenceLedger, RecordedOccurrenceEvent } from '../../src/areas/triggers/schedule/occurrence.record.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { type DocumentChange, type On, projection, put } from '../../src/kernel/record/projection.js';

function settled({ stream, revision, data }: RecordedOccurrenceEvent): readonly DocumentChange[] {
  const { workspaceId, id } = parseStream(stream);
  return [put<OccurrenceLedger>('occurrences', { id, workspaceId, revision, ...data.ledger })];
}

const on: On<RecordedOccurrenceEvent> = {
  OccurrenceFired: settled,
  OccurrenceSkipped: settled,
  OccurrencesMissed: settled,
};

export const occurrencesProjection = projection({
  name: 'occurrences',
  version: 1,
  collections: { occurrences: { indexes: [{ fields: ['workspaceId'] }] } },
  on,
});
