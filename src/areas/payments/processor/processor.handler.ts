import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import type { ProcessorProduct } from '../../../ports/payment-processor.port.js';
import type { SitePayment } from '../payment/site-payment.record.js';
import {
  CreateProcessorProduct,
  GetProcessorConnection,
  ListProcessorProducts,
  type ProcessorConnectionRecord,
  type ProcessorProductRecord,
  RegisterProcessorWebhook,
  ToggleProcessorMode,
} from './processor.operations.js';
import { ProcessorAccounts } from './processor-accounts.api.js';
import { setMode } from './processor-connection.js';
import { processorConnections } from './processor-connection.record.js';
import { ProcessorWebhooks } from './processor-webhooks.api.js';

const succeeded = { success: true } as const;

@QueryHandler(GetProcessorConnection)
export class GetProcessorConnectionHandler {
  constructor(
    private readonly reads: Reads,
    private readonly accounts: ProcessorAccounts,
  ) {}

  async execute(input: GetProcessorConnection): Promise<ProcessorConnectionRecord> {
    const { workspaceId } = callOf(input);
    const { projectId } = input;
    const [connection, test, live, [last]] = await Promise.all([
      this.accounts.find(workspaceId, projectId),
      this.accounts.hasKey({ workspaceId, projectId, mode: 'test' }),
      this.accounts.hasKey({ workspaceId, projectId, mode: 'live' }),
      this.reads.find<SitePayment>(workspaceId, 'sitePayments', {
        where: { projectId, heardAt: { gt: '' } },
        sort: [['heardAt', 'desc']],
        limit: 1,
      }),
    ]);
    const mode = connection?.mode ?? 'test';
    const ofModes = {
      test: { hasKey: test, webhook: (connection?.test ?? null) !== null },
      live: { hasKey: live, webhook: (connection?.live ?? null) !== null },
    };
    return {
      connected: ofModes[mode].hasKey && ofModes[mode].webhook,
      mode,
      ...ofModes,
      lastEventAt: last?.heardAt ?? null,
      lastError: connection?.lastError ?? null,
    };
  }
}

@CommandHandler(RegisterProcessorWebhook)
export class RegisterProcessorWebhookHandler {
  constructor(private readonly webhooks: ProcessorWebhooks) {}

  async execute(input: RegisterProcessorWebhook): Promise<typeof succeeded> {
    await this.webhooks.register(callOf(input), input.projectId, input.mode);
    return succeeded;
  }
}

@CommandHandler(ToggleProcessorMode)
export class ToggleProcessorModeHandler {
  constructor(private readonly runner: CommandRunner) {}

  async execute(input: ToggleProcessorMode): Promise<typeof succeeded> {
    const { projectId, mode } = input;
    await this.runner.change(callOf(input), {
      aggregate: processorConnections,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => setMode(before, projectId, mode),
    });
    return succeeded;
  }
}

@QueryHandler(ListProcessorProducts)
export class ListProcessorProductsHandler {
  constructor(private readonly accounts: ProcessorAccounts) {}

  async execute(input: ListProcessorProducts): Promise<readonly ProcessorProductRecord[]> {
    const { workspaceId } = callOf(input);
    const { projectId } = input;
    const mode = input.mode ?? (await this.accounts.modeOf(workspaceId, projectId));
    const asked = { workspaceId, projectId, mode };
    const found = await this.accounts.ask(asked, (processor, account) => processor.products(account));
    return found.map(shownProduct);
  }
}

@CommandHandler(CreateProcessorProduct)
export class CreateProcessorProductHandler {
  constructor(private readonly accounts: ProcessorAccounts) {}

  async execute(input: CreateProcessorProduct): Promise<ProcessorProductRecord> {
    const { workspaceId, commandId } = callOf(input);
    const { projectId, name, description = '', amount, currency = 'usd', interval, intervalCount = 1 } = input;
    const mode = await this.accounts.modeOf(workspaceId, projectId);
    const billing = interval === undefined ? null : { interval, count: intervalCount };
    const wanted = { name, description, price: { amount, currency: currency.toLowerCase(), billing } };
    const key = `countersign-product-${commandId}`;
    const made = await this.accounts.ask({ workspaceId, projectId, mode }, (processor, account) =>
      processor.createProduct(account, wanted, key),
    );
    return shownProduct(made);
  }
}

function shownProduct({ id, name, description, active, price }: ProcessorProduct): ProcessorProductRecord {
  const { amount = null, currency = null, billing = null } = price ?? {};
  const { interval = null, count: intervalCount = null } = billing ?? {};
  return { id, name, description, active, amount, currency, interval, intervalCount };
}

export const processorHandlers = [
  GetProcessorConnectionHandler,
  RegisterProcessorWebhookHandler,
  ToggleProcessorModeHandler,
  ListProcessorProductsHandler,
  CreateProcessorProductHandler,
];
