import {
  type SiteMailEvent,
  type SiteMailUse,
  siteMailUseId,
} from '../../src/areas/app-users/auth-mail/site-mail.record.js';
import type { ProjectEvent } from '../../src/areas/sites/project/project.record.js';
import type { Recorded } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { type On, projection, removeWhere, step } from '../../src/kernel/record/projection.js';

const collection = 'siteMailUses';

const on: On<Recorded<SiteMailEvent> | Recorded<ProjectEvent>> = {
  SiteMailSent: ({ stream, data: { projectId, kind }, metadata: { at } }) => {
    // Welcome mails are not counted, because they are sent from the owner's mailbox. Mails in events of older versions
    // cannot be counted, because these events do not contain the project.
    if (projectId === undefined || kind === 'welcome') return [];
    const { workspaceId } = parseStream(stream);
    const month = at.slice(0, 7);
    const use = { id: siteMailUseId(projectId, month), workspaceId, projectId, month };
    return [step<SiteMailUse>(collection, use.id, (before) => ({ ...use, sent: (before?.sent ?? 0) + 1 }))];
  },
  ProjectDeleted: ({ stream }) => {
    const { workspaceId, id: projectId } = parseStream(stream);
    return [removeWhere(collection, { workspaceId, projectId })];
  },
};

export const siteMailUsesProjection = projection({
  name: collection,
  version: 1,
  collections: { [collection]: { indexes: [{ fields: ['workspaceId', 'projectId'] }] } },
  on,
});
