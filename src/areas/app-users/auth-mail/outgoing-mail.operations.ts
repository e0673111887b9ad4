import { command } from '../../../engine/operation/bound-operation.js';
import { notShownField } from '../../../engine/operation/shown-once.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { OutgoingMailItem, OutgoingMailReading } from './outgoing-mail-reading.js';

export const outgoingMailOperations = [
  // This is a command and not a query, because it records who read the mails.
  command('site/listOutgoingMail', {
    summary: 'Shows mail of sign-in that was not sent, with its links, newest first; each reading is recorded.',
    source: 'Supplementary, sites, Mail of a site',
    group: 'app-users',
    permission: 'site.users',
    callers: ['person'],
    tools: 'never',
    within: 'project',
    answers: {
      fields: {
        mails: {
          type: 'array',
          items: () => OutgoingMailItem,
          once: true,
          nullable: true,
          description: 'The newest 100. null: see notShown.',
        },
        notShown: notShownField,
      },
    },
    input: { projectId: idField },
    inject: [OutgoingMailReading],
    handle: async ({ projectId }, call, reading) => ({ mails: await reading.read(call, projectId) }),
  }),
];
