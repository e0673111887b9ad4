import { query } from '../../../engine/operation/bound-operation.js';
import { type FieldSpec, fieldsOf, shapeOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { ProjectFacts } from '../../sites/project/project-shapes.api.js';
import { ProjectView } from '../../sites/project/project-view.api.js';
import { ProjectTriggers } from './project-triggers.js';
import { TriggerRecord } from './trigger-record.js';

const eventFlowTriggers: FieldSpec = {
  type: 'array',
  items: () => TriggerRecord,
  description:
    "Triggers that events of the project can fire and triggers that start the project's functions, oldest first.",
};

/** Puts `eventFlowTriggers` directly after `linkedBase`, as in the API documentation. */
const specs = [...fieldsOf(ProjectFacts)].flatMap(([name, spec]): readonly (readonly [string, FieldSpec])[] =>
  name === 'linkedBase'
    ? [
        [name, spec],
        ['eventFlowTriggers', eventFlowTriggers],
      ]
    : [[name, spec]],
);

/** Declared here because the answer contains triggers, and the sites area may not import this area. */
export const projectDetailsOperations = [
  query('site/getProject', {
    source: 'Sites API, Projects and settings',
    group: 'projects',
    permission: 'site.read',
    tools: 'granted',
    summary: 'Returns a project with its settings, its linked base and the operations that agents may use on it.',
    answers: { record: shapeOf('ProjectDetails', Object.fromEntries(specs)) },
    input: { id: idField },
    inject: [ProjectView, ProjectTriggers],
    handle: async ({ id }, call, view, triggers) => {
      const facts = await view.details(call, id);
      return { ...facts, eventFlowTriggers: await triggers.of(call.workspaceId, id) };
    },
  }),
];
