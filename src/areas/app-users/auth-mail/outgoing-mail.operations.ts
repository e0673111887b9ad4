import { command } from '../../../engine/operation/bound-operation.js';
import { notShownField } from '../../../engine/operation/shown-once.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { OutgoingMailItem, OutgoingMailReading } from './outgoing-mail-reading.js';

export const outgoingMailOperations = [
  // This is a command and not a query, because it records who read the mails.
  command('site/listOutgoingMail', {
    summary:
      'Lists mails to users of a site that could not be sent yet, with their sign-in links, newest first. Each call is recorded in the audit.',
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
          description: 'The newest 100 mails. null in a repeated response; see notShown.',
        },
        notShown: notShownField,
      },
    },
    input: { projectId: idField },
    inject: [OutgoingMailReading],
    handle: async ({ projectId }, call, reading) => ({ mails: await reading.read(call, projectId) }),
  }),
];
