import type { FunctionEvent, Undo } from '../../src/areas/automations/function/function.events.js';
import type { Recorded } from '../../src/kernel/event.js';
import { amend, type Document, type On, projection, put } from '../../src/kernel/projection.js';
import { parseStream } from '../../src/kernel/stream-name.js';

/** What was done at once and can be undone for a while. */
export interface Notice extends Document {
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly undoneAt: string | null;
}

type OfFunction = Recorded<FunctionEvent>;

const noticed = ({ stream, metadata, data: { undo } }: OfFunction & { readonly data: { readonly undo: Undo } }) => {
  const { workspaceId, id } = parseStream(stream);
  const target = { kind: 'function', id, name: undo.targetName };
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

const on: On<OfFunction> = {
  FunctionPowersTaken: noticed,
  FunctionSecretsTaken: noticed,
  FunctionUndone: ({ data, metadata }) => [
    amend<Notice>('notices', data.undo, (notice) => ({ ...notice, undoneAt: metadata.at })),
  ],
};

export const noticesProjection = projection({
  name: 'notices',
  version: 1,
  collections: { notices: { indexes: [{ fields: ['workspaceId', 'createdAt'] }] } },
  on,
});
