import { query } from '../../../engine/operation/bound-operation.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { AccessExplanation, ResourceShape } from './access-explanation.js';
import { Explanations } from './explanations.js';

export const explainAccessOperations = [
  query('site/explainAccess', {
    summary:
      'Returns why a user of a site, or a visitor, is let in somewhere or is not: every part of the condition with what it comes to, and the smallest change that would turn it.',
    source: 'Supplementary, access',
    group: 'access-rules',
    permission: 'site.users',
    // Not a tool for functions: the answer reveals users, which functions may read only with the power `users`.
    tools: 'agents',
    answers: { record: AccessExplanation },
    input: {
      resource: { type: 'object', shape: () => ResourceShape },
      appUserId: { ...idField, optional: true, description: 'Left out: a visitor who has not signed in.' },
      projectId: {
        ...idField,
        optional: true,
        description: 'Needed for channels, fields and variables where no user is named.',
      },
    },
    inject: [Explanations],
    handle: (question, call, explanations) => explanations.of(call, question),
  }),
];
