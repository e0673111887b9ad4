import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { SystemIds } from '../../../src/adapters/system/system-ids.adapter.js';
import type { Environment } from '../../../src/config/environment.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import { ReadModels } from '../../../src/engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../src/engine/read-models/read-your-writes.js';
import { parkedOf } from '../../../src/engine/sagas/parked-events.js';
import type { Saga } from '../../../src/engine/sagas/saga.js';
import { SagaRetries } from '../../../src/engine/sagas/saga-retries.js';
import { SagaRun } from '../../../src/engine/sagas/saga-run.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import type { Vault } from '../../../src/ports/vault.port.js';
import { MadeUpClock } from '../clocks/made-up-clock.js';
import { eventually } from '../eventually.js';
import { specActor, specAt, specMetadata } from './given.js';
import { storeRetryOf } from './store-retry.js';

/** Runs a saga on embedded stores, with a made-up clock that advances while a test waits. */
export class SagaScene {
  readonly directory = mkdtempSync(join(tmpdir(), 'saga-'));
  readonly events = new EmbeddedEventStore({ directory: this.directory });
  readonly store = new EmbeddedReadStore({ directory: this.directory, patienceMs: 0 });
  readonly clock = new MadeUpClock();
  /** If set, the vault is unavailable. */
  vaultTrouble: Error | undefined;
  private readonly ids = new SystemIds(this.clock);
  private readonly calls = new Calls(this.clock, this.ids, { derive: (text: string) => text } as Vault);
  private readonly retries = new SagaRetries(this.events, this.store, this.calls, this.ids);
  private readonly runs: SagaRun[] = [];

  async start(saga: Saga, lost: () => void = () => {}): Promise<SagaRun> {
    const readYourWrites = new ReadYourWrites(this.clock, new ReadModels([]), {} as Environment);
    const { events, store, calls, clock } = this;
    const vault = async () => {
      if (this.vaultTrouble !== undefined) throw this.vaultTrouble;
    };
    const storeRetry = storeRetryOf(clock, { vault });
    const run = new SagaRun(saga, { events, store, calls, readYourWrites, storeRetry, clock }, lost);
    this.runs.push(run);
    await run.start();
    return run;
  }

  /** Records an event with only a name as data, in the stream of a thing. */
  async record(thing: string, name: string, type = 'ThingDone', at = specAt): Promise<number> {
    const event = { id: this.ids.uuid(), type, data: { name }, metadata: specMetadata({ workspaceId: 'ws', at }) };
    const [appended] = await this.events.append([
      { stream: streamOf('thing', 'ws', thing), expected: 'any', events: [event] },
    ]);
    return appended?.position ?? -1;
  }

  retry(saga: string, positions: 'all' | readonly number[] = 'all'): Promise<void> {
    return this.retries.request(saga, positions, specActor);
  }

  /** Advances the clock until the condition holds. */
  until(holds: () => boolean | Promise<boolean>, stepMs = 100): Promise<unknown> {
    return eventually(
      async () => {
        for (let step = 0; step < 10; step += 1) {
          this.clock.advance(stepMs);
          if (await holds()) return true;
          await new Promise((resolve) => setImmediate(resolve));
        }
        return false;
      },
      (so) => so,
    );
  }

  /** Returns the parked events: the names of their streams, with the reason if there is one. */
  async parked(saga: string): Promise<readonly (readonly [stream: string, position: number, reason: string | null])[]> {
    const found = await parkedOf(this.store, saga);
    return found.map(({ stream, position, reason }) => [stream, position, reason] as const);
  }

  async close(): Promise<void> {
    await Promise.all(this.runs.map((run) => run.stop()));
    await this.events.close();
    await this.store.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export const nameOf = ({ data }: RecordedEvent): string => (data as { readonly name: string }).name;
