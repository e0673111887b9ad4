import type { PageEvent } from '../../src/areas/sites/page/page.record.js';
import type { PagePlaces } from '../../src/areas/sites/page/page-place.record.js';
import type { ProjectEvent } from '../../src/areas/sites/project/project.record.js';
import type { DomainEvent, Recorded } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { type DocumentChange, type On, projection, removeWhere, step } from '../../src/kernel/record/projection.js';

type Restored = DomainEvent<'PageRestored', { readonly projectId: string; readonly path: string }>;
type Placing =
  | Recorded<Restored>
  | Extract<Recorded<PageEvent>, { readonly type: 'PageCreated' | 'PageUpdated' }>
  | Extract<Recorded<ProjectEvent>, { readonly type: 'ProjectDeleted' }>;

const collection = 'pagePlaces';

/**
 * An update that was recorded before snapshots existed does not name the project. Its project is the one that the page
 * was created in.
 */
function placed({
  stream,
  data: { projectId, path },
}: Exclude<Placing, { type: 'ProjectDeleted' }>): readonly DocumentChange[] {
  if (path === undefined) return [];
  const { id, workspaceId } = parseStream(stream);
  const next = (known: PagePlaces | undefined): PagePlaces | undefined => {
    const page = known ?? (projectId === undefined ? undefined : { id, workspaceId, projectId, paths: [] });
    if (page === undefined || page.paths.includes(path)) return page;
    return { ...page, paths: [...page.paths, path] };
  };
  return [step<PagePlaces>(collection, id, next)];
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
  version: 2,
  collections: { [collection]: { indexes: [{ fields: ['workspaceId', 'projectId'] }] } },
  on,
});
