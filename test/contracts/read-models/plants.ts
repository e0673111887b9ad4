import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import { type Document, type Projection, projection, step } from '../../../src/kernel/record/projection.js';

export interface Leaf extends Document {
  readonly version: number;
  readonly grown: number;
}

/** A projection for the kind of record `name`. Its documents count events and contain the version that made them. */
export function plantKind(name: string, version = 1): Projection {
  const on = {
    [`${name}Grew`]: (event: RecordedEvent<string, { readonly torn?: boolean }>) => {
      const { id, workspaceId } = parseStream(event.stream);
      return [
        step<Leaf>(`${name}s`, id, (leaf) => {
          if (event.data.torn && version < 2) throw new Error('It cannot be folded.');
          return { id, workspaceId, version, grown: (leaf?.grown ?? 0) + 1 };
        }),
      ];
    },
    [`${name}Fell`]: ({ stream }: RecordedEvent) => [step(`${name}s`, parseStream(stream).id, () => undefined)],
  };
  return projection({
    name: `${name}s`,
    version,
    area: 'wood',
    recordsOf: name,
    collections: { [`${name}s`]: { indexes: [] } },
    on,
  });
}
