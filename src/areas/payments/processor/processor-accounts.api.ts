import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import {
  PaymentProcessor,
  type ProcessorAccount,
  type ProcessorMode,
  ProcessorRefused,
  ProcessorUnavailable,
} from '../../../ports/network/payment-processor.port.js';
import { SiteVariables } from '../../sites/env-var/site-variables.api.js';
import { refuse } from '../payments.refusals.js';
import { healed, noteProcessorTrouble } from './processor-connection.js';
import {
  type ProcessorConnection,
  type ProcessorConnectionEvent,
  processorConnections,
} from './processor-connection.record.js';

export interface AccountOfMode {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly mode: ProcessorMode;
}

const variables = { test: 'PAYMENT_TEST_SECRET_KEY', live: 'PAYMENT_LIVE_SECRET_KEY' } as const;

@Injectable()
export class ProcessorAccounts {
  constructor(
    private readonly processor: PaymentProcessor,
    private readonly variables: SiteVariables,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
  ) {}

  find(workspaceId: string, projectId: string): Promise<ProcessorConnection | undefined> {
    return this.runner.find(processorConnections, workspaceId, projectId);
  }

  async modeOf(workspaceId: string, projectId: string): Promise<ProcessorMode> {
    return (await this.find(workspaceId, projectId))?.mode ?? 'test';
  }

  async hasKey({ workspaceId, projectId, mode }: AccountOfMode): Promise<boolean> {
    return (await this.variables.find(workspaceId, projectId, variables[mode]))?.isSecret === true;
  }

  /** With the owner's setting `auto`, manual payments are accepted while the site has no key of either mode. */
  async takesManualPayments(workspaceId: string, projectId: string): Promise<boolean> {
    const { manualPayments = 'auto' } = (await this.find(workspaceId, projectId)) ?? {};
    if (manualPayments !== 'auto') return manualPayments === 'on';
    const modes = ['test', 'live'] as const;
    const keys = await Promise.all(modes.map((mode) => this.hasKey({ workspaceId, projectId, mode })));
    return !keys.includes(true);
  }

  /** The processor accepts only multiples of this number of minor units, in every mode. */
  stepOf(currency: string): number {
    return this.processor.stepOf(currency);
  }

  /**
   * Errors of the processor become refusals and are recorded with the connection. A successful call clears the recorded
   * error.
   * @throws Refusal
   */
  async request<Answer>(
    asked: AccountOfMode,
    work: (processor: PaymentProcessor, account: ProcessorAccount) => Promise<Answer>,
  ): Promise<Answer> {
    const account = await this.accountOf(asked);
    try {
      const answer = await work(this.processor, account);
      await this.note(asked, (before) => healed(before, asked.projectId));
      return answer;
    } catch (error) {
      if (!(error instanceof ProcessorRefused || error instanceof ProcessorUnavailable)) throw error;
      const why = error.message;
      await this.note(asked, (before) =>
        noteProcessorTrouble(before, asked.projectId, `In the mode ${asked.mode}, ${why}`),
      );
      if (error instanceof ProcessorRefused) return refuse('processor-refused', { why });
      return refuse('processor-unavailable', { why }, { retryAfterSeconds: 30 });
    }
  }

  /** @throws Refusal if the site has no usable key or no webhook of that mode, so that no payment would be reported */
  async mustBeConnected(asked: AccountOfMode): Promise<void> {
    await this.accountOf(asked);
    const { workspaceId, projectId, mode } = asked;
    const connection = await this.find(workspaceId, projectId);
    if ((connection?.[mode] ?? null) === null) refuse('processor-webhook-missing', { mode });
  }

  /**
   * A variable that is not secret is ignored, because members can see it.
   * @throws Refusal
   */
  private async accountOf({ workspaceId, projectId, mode }: AccountOfMode): Promise<ProcessorAccount> {
    const variable = variables[mode];
    const opened = await this.variables.open(workspaceId, projectId, variable);
    const secretKey = opened?.recorded.isSecret === true ? opened.value.trim() : '';
    if (secretKey === '') return refuse('processor-key-missing', { variable, mode });
    // The key is sent in a header, so its characters are limited. The mode in the key is checked, because a live key
    // would charge real money for a test.
    if (!new RegExp(`^[sr]k_${mode}_[\\x21-\\x7e]+$`).test(secretKey)) {
      return refuse('processor-key-of-other-mode', { variable, mode });
    }
    return { secretKey };
  }

  private async note(
    { workspaceId, projectId }: AccountOfMode,
    decide: (before: ProcessorConnection | undefined) => readonly ProcessorConnectionEvent[],
  ): Promise<void> {
    const known = await this.find(workspaceId, projectId);
    if (decide(known).length === 0) return;
    const call = this.calls.once(workspaceId, systemActor('payments'), 'payments/note');
    await this.runner.change(call, { aggregate: processorConnections, id: projectId, begins: 'perhaps', decide });
  }
}
