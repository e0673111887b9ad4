import { Injectable } from '@nestjs/common';
import { type Consumption, Messages } from '../../ports/messages.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { Outages } from '../cluster/outages.js';
import { StepAttempts } from './step-attempts.js';
import { StepKinds } from './step-kinds.js';
import type { StepMessage } from './step-messages.js';
import { StepSettling } from './step-settling.js';
import { StepWorker } from './step-worker.js';

/** How long a stop waits for steps being done. */
const graceMs = 10_000;

/** Does the steps of accepted runs; several processes share this work. */
@Injectable()
export class StepWork {
  private consumptions: readonly Consumption[] = [];
  private stopping = new AbortController();

  constructor(
    private readonly kinds: StepKinds,
    private readonly worker: StepWorker,
    private readonly attempts: StepAttempts,
    private readonly waking: StepSettling,
    private readonly messages: Messages,
    private readonly outages: Outages,
  ) {}

  async start(): Promise<void> {
    this.attempts.begin();
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    this.consumptions = await Promise.all(
      this.kinds.all.map((kind) =>
        this.messages.consume({
          topic: kind.topic,
          concurrency: kind.concurrency,
          handle: async ({ value }) => {
            const { workspaceId, runId } = value as StepMessage;
            await this.outages.lasting(() => this.worker.resume(kind, workspaceId, runId), signal);
          },
        }),
      ),
    );
  }

  /** Runs that are between two steps are continued by another process. */
  async stop(): Promise<void> {
    this.attempts.end();
    this.stopping.abort();
    const consumptions = this.consumptions;
    this.consumptions = [];
    await Promise.all(consumptions.map((consumption) => consumption.stop(graceMs)));
  }

  settling(): Duty {
    return this.waking.duty();
  }
}
