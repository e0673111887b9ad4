import type { Notice } from '../../src/areas/approvals/notice/notice.record.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { typeWords } from '../../src/kernel/record/event-words.js';
import { type Change, step } from '../../src/kernel/record/projection.js';

const dayMs = 24 * 3_600_000;

/**
 * The notice of what a caller took away: one for each command. Rows are deleted by the thousand, so there is one for those
 * that a caller deletes in an hour. An event with an Undo or a notice of its own makes none.
 */
export function takenNotice(event: RecordedEvent): readonly Change[] {
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
    step<Notice>('notices', id, (held) => {
      if (held?.taking === undefined) return begun;
      // Several events of one record: the last is what an Undo has to begin with.
      const more = held.target.id === targetId ? { position } : { count: held.taking.count + 1 };
      const [from] = held.taking.among ?? [held.taking.position];
      return { ...held, taking: { ...held.taking, ...more, among: [from, position] } };
    }),
  ];
}
