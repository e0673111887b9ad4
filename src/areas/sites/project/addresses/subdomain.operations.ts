import { recordCommand } from '../../../../engine/records/record-command.js';
import { streamOf } from '../../../../kernel/event/stream-name.js';
import { idField } from '../../../../kernel/field/plain-text.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { refuse } from '../../sites.refusals.js';
import { updateSubdomain } from '../project.js';
import { projectSubdomain, projects } from '../project.record.js';
import { ProjectRow } from '../project-shapes.api.js';
import { ProjectView } from '../project-view.api.js';
import { wrongSubdomain } from './site-address.js';

export const subdomainOperations = [
  recordCommand('site/updateSubdomain', {
    summary:
      "Changes a site's address under the service's domain. The old address becomes available to other sites immediately.",
    source: 'Sites API, Projects and settings',
    group: 'domains',
    permission: 'site.publish',
    tools: 'granted',
    answers: { record: ProjectRow },
    input: {
      id: idField,
      subdomain: {
        type: 'string',
        minLength: 3,
        maxLength: 63,
        description: 'The subdomain without the domain of the service, such as shop for shop.example.com.',
      },
    },
    record: projects,
    id: ({ id }) => id,
    inject: [ProjectView],
    prepare: async ({ subdomain }, _, view) => {
      const wrong = wrongSubdomain(subdomain);
      if (wrong !== undefined) refuseInput([{ path: 'subdomain', message: wrong }]);
      return view;
    },
    decide: (project, { subdomain }) => updateSubdomain(project, subdomain),
    // The name is reserved in the same append as the change, so two sites never have the same subdomain.
    reserves: (_, { subdomain }, { workspaceId }, id) => [
      {
        reservation: projectSubdomain(subdomain, streamOf(projects.category, workspaceId, id)),
        taken: () => refuse('subdomain-taken', { subdomain }),
      },
    ],
    answer: (after, view) => view.row(after ?? projects.missing()),
  }),
];
