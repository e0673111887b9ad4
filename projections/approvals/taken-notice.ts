import type { Notice } from '../../src/areas/approvals/notice/notice.record.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { typeWords } from '../../src/kernel/record/event-words.js';
import { type DocumentChange, step } from '../../src/kernel/record/projection.js';

const dayMs = 24 * 3_600_000;

/**
 * Makes the notice about a deletion, which is an event with the metadata `taken`. There is one notice per command,
 * except for rows: one notice covers all rows that a caller deletes with the same operation within a clock hour (UTC).
 * Events with an `undo` or a `notice` of their own are left out, because they create another notice.
 */
export function takenNotice(event: RecordedEvent): readonly DocumentChange[] {
  const { stream, position, type, data, metadata } = event;
  const { taken, actor: by, approvedBy, operation, commandId, at } = metadata;
  if (taken === undefined || 'undo' in data || 'notice' in data) return [];
  const { category: kind, workspaceId, id: targetId } = parseStream(stream);
  const id = `taken_${kind === 'row' ? `${by.id}_${operation.replace('/', '_')}_${at.slice(0, 13)}` : commandId}`;
  const { name } = taken;
  const begun: Notice = {
    id,
    workspaceId,
    kind: 'change',
    summary: `${typeWords(type)}${name === '' ? '' : `: "${name}"`}`,
    target: { kind, id: targetId, name },
    createdAt: at,
    expiresAt: new Date(Date.parse(at) + dayMs).toISOString(),
    undoneAt: null,
    taking: { position, stream, operation, by, ...(approvedBy === undefined ? {} : { approvedBy }), count: 1 },
  };
  return [
    step<Notice>('notices', id, (existing) => {
      if (existing?.taking === undefined) return begun;
      // A further event about the same record does not increase `count`, but its position is stored, because undoing
      // must begin with the record's latest event.
      const more = existing.target.id === targetId ? { position } : { count: existing.taking.count + 1 };
      const [from] = existing.taking.among ?? [existing.taking.position];
      return { ...existing, taking: { ...existing.taking, ...more, among: [from, position] } };
    }),
  ];
}
