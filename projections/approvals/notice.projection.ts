import type { Notice } from '../../src/areas/approvals/notice/notice.record.js';
import type { FlowEvent } from '../../src/areas/flows/flow/flow.record.js';
import type { FunctionEvent } from '../../src/areas/functions/function/function.record.js';
import type { Recorded } from '../../src/kernel/event.js';
import { amend, type On, projection, put } from '../../src/kernel/projection.js';
import { parseStream } from '../../src/kernel/stream-name.js';
import type { Undo } from '../../src/kernel/undo.js';

type Undoable = Recorded<FunctionEvent> | Recorded<FlowEvent>;

type Taken = Undoable & { readonly data: { readonly undo: Undo } };

const noticed = ({ stream, metadata, data: { undo } }: Taken) => {
  const { category, workspaceId, id } = parseStream(stream);
  const target = { kind: category, id, name: undo.targetName };
  const { summary, expiresAt } = undo;
  return [
    put<Notice>('notices', {
      id: undo.id,
      workspaceId,
      summary,
      target,
      createdAt: metadata.at,
      expiresAt,
      undoneAt: null,
    }),
  ];
};

const undone = ({ data, metadata }: Extract<Undoable, { readonly data: { readonly undo: string } }>) => [
  amend<Notice>('notices', data.undo, (notice) => ({ ...notice, undoneAt: metadata.at })),
];

const on: On<Undoable> = {
  FunctionPowersTaken: noticed,
  FunctionSecretsTaken: noticed,
  FunctionUndone: undone,
  FlowSecretsTaken: noticed,
  FlowUndone: undone,
};

export const noticesProjection = projection({
  name: 'notices',
  version: 2,
  collections: { notices: { indexes: [{ fields: ['workspaceId', 'createdAt'] }] } },
  on,
});
