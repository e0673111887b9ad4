import type { FunctionEvent } from '../../src/areas/functions/function/function.record.js';
import { longestSlug, type ToolName } from '../../src/areas/functions/tool/tool-name.record.js';
import type { Recorded } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { projection, put } from '../../src/kernel/record/projection.js';
import { slugOf } from '../../src/kernel/text/slug.js';

type Created = Extract<Recorded<FunctionEvent>, { type: 'FunctionCreated' }>;

export const toolNamesProjection = projection({
  name: 'toolNames',
  version: 1,
  collections: { toolNames: { indexes: [{ fields: ['workspaceId', 'slug'] }] } },
  on: {
    FunctionCreated: ({ stream, position, data: { name } }: Created) => {
      const { id, workspaceId } = parseStream(stream);
      return [put<ToolName>('toolNames', { id, workspaceId, slug: slugOf(name, longestSlug), position })];
    },
  },
});
