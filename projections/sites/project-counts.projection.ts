import type { ComponentEvent } from '../../src/areas/sites/component/component.record.js';
import type { PageEvent } from '../../src/areas/sites/page/page.record.js';
import type { Counted, ProjectCounts } from '../../src/areas/sites/project/project-counts.record.js';
import type { DomainEvent, Recorded } from '../../src/kernel/event/event.js';
import { type DocumentChange, type On, projection, step } from '../../src/kernel/record/projection.js';

type Returned = DomainEvent<'PageRestored' | 'ComponentRestored', { readonly projectId: string }>;
type Counting =
  | Recorded<Returned>
  | Extract<
      Recorded<PageEvent> | Recorded<ComponentEvent>,
      { readonly type: 'PageCreated' | 'PageDeleted' | 'ComponentCreated' | 'ComponentDeleted' }
    >;

const counts =
  (what: Counted, by: 1 | -1) =>
  ({ data: { projectId: id }, metadata: { workspaceId } }: Counting): readonly DocumentChange[] => [
    step<ProjectCounts>('projectCounts', id, (before = { id, workspaceId, pages: 0, components: 0 }) => {
      const after = { ...before, [what]: before[what] + by };
      return after.pages === 0 && after.components === 0 ? undefined : after;
    }),
  ];

const on: On<Counting> = {
  PageCreated: counts('pages', 1),
  PageRestored: counts('pages', 1),
  PageDeleted: counts('pages', -1),
  ComponentCreated: counts('components', 1),
  ComponentRestored: counts('components', 1),
  ComponentDeleted: counts('components', -1),
};

/** Counts are stored, so the cost of listing projects does not depend on the size of their content. */
export const projectCountsProjection = projection({
  name: 'projectCounts',
  version: 1,
  collections: { projectCounts: { indexes: [{ fields: ['workspaceId'] }] } },
  on,
});
