import type { PageEvent } from '../../src/areas/sites/page/page.record.js';
import type { PagePlace } from '../../src/areas/sites/page/page-place.record.js';
import type { ProjectEvent } from '../../src/areas/sites/project/project.record.js';
import type { DomainEvent, Recorded } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { type DocumentChange, type On, projection, put, removeWhere } from '../../src/kernel/record/projection.js';

type Restored = DomainEvent<'PageRestored', { readonly projectId: string; readonly path: string }>;
type Placing =
  | Recorded<Restored>
  | Extract<Recorded<PageEvent>, { readonly type: 'PageCreated' | 'PageUpdated' }>
  | Extract<Recorded<ProjectEvent>, { readonly type: 'ProjectDeleted' }>;

const collection = 'pagePlaces';

function placed({
  stream,
  data: { projectId, path },
}: Exclude<Placing, { type: 'ProjectDeleted' }>): readonly DocumentChange[] {
  // Updates recorded before snapshots existed do not contain the project.
  if (projectId === undefined || path === undefined) return [];
  const { id: pageId, workspaceId } = parseStream(stream);
  return [put<PagePlace>(collection, { id: `${pageId} ${path}`, workspaceId, projectId, pageId, path })];
}

const on: On<Placing> = {
  PageCreated: placed,
  PageRestored: placed,
  PageUpdated: placed,
  ProjectDeleted: ({ stream, metadata: { workspaceId } }) => [
    removeWhere(collection, { workspaceId, projectId: parseStream(stream).id }),
  ],
};

export const pagePlacesProjection = projection({
  name: collection,
  version: 1,
  collections: { [collection]: { indexes: [{ fields: ['workspaceId', 'projectId', 'path'] }] } },
  on,
});
