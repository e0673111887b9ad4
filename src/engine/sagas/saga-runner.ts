import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { EventStore } from '../../ports/event-store.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { StoreRetry } from '../cluster/store-retry.js';
import { Calls } from '../operation/calls.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { parkedOf, sagaBuild } from './parked-events.js';
import type { Saga } from './saga.js';
import { SagaRun } from './saga-run.js';

export const sagaDuty = (saga: string) => `saga/${saga}`;

@Injectable()
export class SagaRunner {
  private readonly runs = new Map<string, SagaRun>();

  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly calls: Calls,
    private readonly readYourWrites: ReadYourWrites,
    private readonly storeRetry: StoreRetry,
    private readonly clock: Clock,
  ) {}

  get running(): readonly SagaRun[] {
    return [...this.runs.values()];
  }

  /** `lost` is called if another process has moved the checkpoint, because it runs the same saga. */
  duty(saga: Saga, lost: (duty: string) => void): Duty {
    const name = sagaDuty(saga.name);
    const { events, store, calls, readYourWrites, storeRetry, clock } = this;
    let run: SagaRun | undefined;
    return {
      name,
      start: async () => {
        run = new SagaRun(saga, { events, store, calls, readYourWrites, storeRetry, clock }, () => lost(name));
        await run.start();
        this.runs.set(saga.name, run);
      },
      stop: async () => {
        await run?.stop();
        this.runs.delete(saga.name);
      },
    };
  }

  /** Events after the returned position must not be pruned if the saga reads them. */
  async checkpointOf(saga: string): Promise<number> {
    const checkpoint = await this.store.checkpoint(sagaBuild(saga));
    const [parked] = await parkedOf(this.store, saga);
    return parked === undefined ? checkpoint : Math.min(checkpoint, parked.position - 1);
  }
}
