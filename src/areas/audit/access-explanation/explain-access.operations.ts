import { query } from '../../../engine/operation/bound-operation.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { AccessExplanation, ResourceShape } from './access-explanation.js';
import { Explanations } from './explanations.js';

export const explainAccessOperations = [
  query('site/explainAccess', {
    summary:
      'Explains why a user of a site or a visitor does or does not have access to a resource. Returns every part of the condition with its outcome, and the smallest change that would reverse the result.',
    source: 'Supplementary, access',
    group: 'access-rules',
    permission: 'site.users',
    // Not a tool for functions: the answer reveals users, which functions may read only with the power `users`.
    tools: 'agents',
    answers: { record: AccessExplanation },
    input: {
      resource: { type: 'object', shape: () => ResourceShape },
      appUserId: { ...idField, optional: true, description: 'Default: a visitor who is not signed in.' },
      projectId: {
        ...idField,
        optional: true,
        description: 'Required for channels, fields and variables if appUserId is omitted.',
      },
    },
    inject: [Explanations],
    handle: (question, call, explanations) => explanations.of(call, question),
  }),
];
