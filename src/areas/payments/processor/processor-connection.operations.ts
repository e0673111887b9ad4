import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { success } from '../../../engine/operation/operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { SitePayment } from '../payment/site-payment.record.js';
import { TestMoney } from '../payment/test-money.api.js';
import { ProcessorAccounts } from './processor-accounts.api.js';
import { setManualPayments, setMode } from './processor-connection.js';
import { manualPaymentChoices, type ProcessorConnection, processorConnections } from './processor-connection.record.js';
import { ProcessorWebhooks } from './processor-webhooks.api.js';

// Only people may call these operations, because they concern a processor's keys and a site's money.
export const ofProcessor = {
  source: 'Sites API, Payment-processor connection',
  group: 'processor',
  permission: 'site.money',
  within: 'project',
  tools: 'never',
} as const;
const mode = { type: 'string', enum: ['test', 'live'] } as const;
const ofMode = { projectId: idField, mode } as const;

/**
 * Maximum number of test payments that are updated before the operation returns. The saga that follows the change of
 * mode updates all of them.
 */
const mostPayments = 2_000;

const ProcessorModeRecord = shapeOf('ProcessorModeRecord', {
  hasKey: { type: 'boolean', description: 'Whether the project keeps the secret key of this mode.' },
  webhook: { type: 'boolean', description: 'Whether a webhook is registered.' },
});
const ProcessorConnectionRecord = shapeOf('ProcessorConnectionRecord', {
  connected: { type: 'boolean', description: 'Key and webhook of the present mode are there.' },
  mode: { ...mode, description: 'In which new checkouts are opened.' },
  test: { type: 'object', shape: () => ProcessorModeRecord },
  live: { type: 'object', shape: () => ProcessorModeRecord },
  manualPayments: { type: 'string', enum: manualPaymentChoices, description: 'As setManualPayments says.' },
  takesManualPayments: { type: 'boolean', description: 'Whether a checkout may be paid by hand now.' },
  lastEventAt: {
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When it last told something new.',
  },
  lastError: { type: 'string', nullable: true, description: 'Why the last call failed; null once one went well.' },
});

/** Returns the recorded part of the connection. The rest, whether it has keys, depends on the project's secrets. */
function recordedOf(connection: ProcessorConnection | undefined) {
  return {
    mode: connection?.mode ?? ('test' as const),
    manualPayments: connection?.manualPayments ?? ('auto' as const),
    test: { webhook: (connection?.test ?? null) !== null },
    live: { webhook: (connection?.live ?? null) !== null },
    lastError: connection?.lastError ?? null,
  };
}

showsAs(processorConnections, recordedOf);

export const processorConnectionOperations = [
  query('site/getProcessorConnection', {
    ...ofProcessor,
    summary: 'Returns how a project is connected to its payment processor.',
    answers: { record: ProcessorConnectionRecord },
    input: { projectId: idField },
    inject: [Reads, ProcessorAccounts],
    handle: async ({ projectId }, { workspaceId }, reads, accounts) => {
      const [connection, test, live, takesManualPayments, [last]] = await Promise.all([
        accounts.find(workspaceId, projectId),
        accounts.hasKey({ workspaceId, projectId, mode: 'test' }),
        accounts.hasKey({ workspaceId, projectId, mode: 'live' }),
        accounts.takesManualPayments(workspaceId, projectId),
        reads.find<SitePayment>(workspaceId, 'sitePayments', {
          where: { projectId, heardAt: { gt: '' } },
          sort: [['heardAt', 'desc']],
          limit: 1,
        }),
      ]);
      const recorded = recordedOf(connection);
      const ofModes = {
        test: { hasKey: test, ...recorded.test },
        live: { hasKey: live, ...recorded.live },
      };
      const { hasKey, webhook } = ofModes[recorded.mode];
      const lastEventAt = last?.heardAt ?? null;
      return { ...recorded, ...ofModes, connected: hasKey && webhook, takesManualPayments, lastEventAt };
    },
  }),
  command('site/registerProcessorWebhook', {
    ...ofProcessor,
    summary:
      'Has the processor tell the project of payments, with the secret key that it keeps; replaces an earlier one.',
    outside: ['sends requests', 'destroys secrets'],
    answers: success,
    input: ofMode,
    inject: [ProcessorWebhooks],
    handle: async ({ projectId, mode }, call, webhooks) => {
      await webhooks.register(call, projectId, mode);
      return { success: true };
    },
  }),
  // Access from test payments ends or is restored before the operation returns.
  command('site/toggleProcessorMode', {
    ...ofProcessor,
    summary:
      'Says whether new checkouts are tries or take real money. Live payments that were begun go on; what test money bought ends with `live`, and counts again in `test`.',
    answers: {
      fields: {
        ...success.fields,
        endedEntitlements: {
          type: 'integer',
          description: 'How many users hold an entitlement no more because test money had bought it.',
        },
      },
    },
    input: ofMode,
    inject: [CommandRunner, TestMoney, Calls],
    handle: async ({ projectId, mode }, call, runner, testMoney, calls) => {
      const { workspaceId } = call;
      await runner.change(call, {
        aggregate: processorConnections,
        id: projectId,
        begins: 'perhaps',
        decide: (before) => setMode(before, projectId, mode),
      });
      const callFor = (step: string) => calls.once(workspaceId, systemActor('payments'), `payments/${step}`);
      const endedEntitlements = await testMoney.follow(workspaceId, projectId, callFor, mostPayments);
      return { success: true, endedEntitlements };
    },
  }),
  recordCommand('site/setManualPayments', {
    ...ofProcessor,
    source: 'Supplementary, payments',
    summary:
      'Says whether users of a site may choose to pay by hand, for an Admin to approve. Payments that are open stay so.',
    answers: success,
    input: {
      projectId: idField,
      manualPayments: {
        type: 'string',
        enum: manualPaymentChoices,
        description: 'auto, which it is at first: while the project keeps no secret key of the payment processor.',
      },
    },
    record: processorConnections,
    id: ({ projectId }) => projectId,
    begins: 'perhaps',
    decide: (before, { projectId, manualPayments }) => setManualPayments(before, projectId, manualPayments),
  }),
];
