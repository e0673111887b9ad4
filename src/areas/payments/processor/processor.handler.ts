import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { asks, decides, does } from '../../../engine/records/rule.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { ProcessorProduct } from '../../../ports/payment-processor.port.js';
import type { SitePayment } from '../payment/site-payment.record.js';
import {
  CreateProcessorProduct,
  GetProcessorConnection,
  ListProcessorProducts,
  type ProcessorConnectionRecord,
  type ProcessorProductRecord,
  RegisterProcessorWebhook,
  SetManualPayments,
} from './processor.operations.js';
import { ProcessorAccounts } from './processor-accounts.api.js';
import { setManualPayments } from './processor-connection.js';
import {
  type ProcessorConnection,
  type ProcessorConnectionEvent,
  processorConnections,
} from './processor-connection.record.js';
import { ProcessorWebhooks } from './processor-webhooks.api.js';
import { ToggleProcessorModeHandler } from './toggle-processor-mode.handler.js';

@QueryHandler(GetProcessorConnection)
export class GetProcessorConnectionHandler {
  constructor(
    private readonly reads: Reads,
    private readonly accounts: ProcessorAccounts,
  ) {}

  async execute(input: GetProcessorConnection): Promise<ProcessorConnectionRecord> {
    const { workspaceId } = callOf(input);
    const { projectId } = input;
    const [connection, test, live, takesManualPayments, [last]] = await Promise.all([
      this.accounts.find(workspaceId, projectId),
      this.accounts.hasKey({ workspaceId, projectId, mode: 'test' }),
      this.accounts.hasKey({ workspaceId, projectId, mode: 'live' }),
      this.accounts.takesManualPayments(workspaceId, projectId),
      this.reads.find<SitePayment>(workspaceId, 'sitePayments', {
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
  }
}

/** What the connection itself says; whether there are keys is said by the secrets of the project. */
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

function shownProduct({ id, name, description, active, price }: ProcessorProduct): ProcessorProductRecord {
  const { amount = null, currency = null, billing = null } = price ?? {};
  const { interval = null, count: intervalCount = null } = billing ?? {};
  return { id, name, description, active, amount, currency, interval, intervalCount };
}

export const processorHandlers = [
  GetProcessorConnectionHandler,
  does(RegisterProcessorWebhook, ProcessorWebhooks, async (webhooks, { projectId, mode }, call) => {
    await webhooks.register(call, projectId, mode);
    return { success: true };
  }),
  ToggleProcessorModeHandler,
  decides<SetManualPayments, ProcessorConnection | undefined, ProcessorConnectionEvent>(SetManualPayments, {
    aggregate: processorConnections,
    id: ({ projectId }) => projectId,
    begins: 'perhaps',
    decide: (before, { projectId, manualPayments }) => setManualPayments(before, projectId, manualPayments),
  }),
  asks(ListProcessorProducts, ProcessorAccounts, async (accounts, { projectId, mode: sent }, { workspaceId }) => {
    const mode = sent ?? (await accounts.modeOf(workspaceId, projectId));
    const found = await accounts.ask({ workspaceId, projectId, mode }, (processor, account) =>
      processor.products(account),
    );
    return found.map(shownProduct);
  }),
  does(CreateProcessorProduct, ProcessorAccounts, async (accounts, input, { workspaceId, commandId }) => {
    const { projectId, name, description = '', amount, currency = 'usd', interval, intervalCount = 1 } = input;
    const mode = await accounts.modeOf(workspaceId, projectId);
    const billing = interval === undefined ? null : { interval, count: intervalCount };
    const wanted = { name, description, price: { amount, currency: currency.toLowerCase(), billing } };
    const key = `countersign-product-${commandId}`;
    const made = await accounts.ask({ workspaceId, projectId, mode }, (processor, account) =>
      processor.createProduct(account, wanted, key),
    );
    return shownProduct(made);
  }),
];
