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
 * Maximum number of test payments updated before the operation returns. The saga that follows the change of mode
 * updates all of them.
 */
const mostPayments = 2_000;

const ProcessorModeRecord = shapeOf('ProcessorModeRecord', {
  hasKey: { type: 'boolean', description: 'Whether the project has the secret key of this mode.' },
  webhook: { type: 'boolean', description: 'Whether a webhook is registered for this mode.' },
});
const ProcessorConnectionRecord = shapeOf('ProcessorConnectionRecord', {
  connected: {
    type: 'boolean',
    description: 'Whether the current mode has both a secret key and a registered webhook.',
  },
  mode: { ...mode, description: 'The mode in which new checkouts are opened.' },
  test: { type: 'object', shape: () => ProcessorModeRecord },
  live: { type: 'object', shape: () => ProcessorModeRecord },
  manualPayments: {
    type: 'string',
    enum: manualPaymentChoices,
    description: 'The setting made with setManualPayments.',
  },
  takesManualPayments: { type: 'boolean', description: 'Whether a checkout can currently be paid manually.' },
  lastEventAt: {
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the processor last reported something new about a payment. null if it never has.',
  },
  lastError: {
    type: 'string',
    nullable: true,
    description: 'Why the last call to the processor failed. null if it succeeded.',
  },
});

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
    summary: "Returns the state of a project's connection to its payment processor.",
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
      "Registers a webhook with which the processor reports payments to the project. Uses the project's secret key of this mode. Replaces an earlier webhook of the same mode.",
    outside: ['sends requests', 'destroys secrets'],
    answers: success,
    input: ofMode,
    inject: [ProcessorWebhooks],
    handle: async ({ projectId, mode }, call, webhooks) => {
      await webhooks.register(call, projectId, mode);
      return { success: true };
    },
  }),
  command('site/toggleProcessorMode', {
    ...ofProcessor,
    summary:
      'Sets whether new checkouts are tests or charge real money. Live payments that have begun continue. Access bought in test mode ends in `live`, and is restored in `test`.',
    answers: {
      fields: {
        ...success.fields,
        endedEntitlements: {
          type: 'integer',
          description: 'Number of entitlements that ended because they were bought in test mode.',
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
    summary: 'Sets whether users of a site may pay manually, which an Admin approves. Open payments are not affected.',
    answers: success,
    input: {
      projectId: idField,
      manualPayments: {
        type: 'string',
        enum: manualPaymentChoices,
        description:
          'With `auto`, manual payments are accepted as long as the project has no secret key of the payment processor. Default: auto.',
      },
    },
    record: processorConnections,
    id: ({ projectId }) => projectId,
    begins: 'perhaps',
    decide: (before, { projectId, manualPayments }) => setManualPayments(before, projectId, manualPayments),
  }),
];
