import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { LocalLeases } from '../../../src/adapters/leases/local/local-leases.adapter.js';
import { SystemIds } from '../../../src/adapters/system/system-ids.adapter.js';
import type { Environment } from '../../../src/config/environment.js';
import { Journal } from '../../../src/engine/journal/journal.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import type { RecordingQuota } from '../../../src/engine/quotas/recording-quota.js';
import { ReadModels } from '../../../src/engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../src/engine/read-models/read-your-writes.js';
import { StepAttempts } from '../../../src/engine/step-work/step-attempts.js';
import { StepJournal } from '../../../src/engine/step-work/step-journal.js';
import type { StepKind, StepRunRequest } from '../../../src/engine/step-work/step-kind.js';
import { StepRuns } from '../../../src/engine/step-work/step-runs.js';
import { StepStates } from '../../../src/engine/step-work/step-states.js';
import { StepWorker } from '../../../src/engine/step-work/step-worker.js';
import type { AppendRequest, EventStore } from '../../../src/ports/event-store.port.js';
import type { Vault } from '../../../src/ports/vault.port.js';
import { MadeUpClock } from '../clocks/made-up-clock.js';
import { storeRetryOf } from './store-retry.js';
import { uncounted } from './uncounted.js';

/** The point at which a simulated process dies: its nth write, before or after the write is on disk. */
export interface Dies {
  readonly atWrite: number;
  readonly when: 'before' | 'after';
}

export class Died extends Error {}

export const specRun = { workspaceId: 'ws_1', runId: 'run_1' } as const;

export function requestOf<State>(state: State): StepRunRequest<State> {
  return {
    ...specRun,
    target: { id: 'flow_1', name: 'Spec' },
    source: 'manual',
    starter: { kind: 'flow', id: 'flow_1', name: 'Spec' },
    actor: { kind: 'flow', id: 'flow_1', name: 'Spec' },
    correlationId: 'c',
    causationId: null,
    eventDepth: 0,
    state,
  };
}

/** A log and a vault that outlive the simulated processes that use them. */
export class StepScene {
  readonly clock = new MadeUpClock();
  readonly leases = new LocalLeases();
  /** Content of the vault, by name. */
  readonly held = new Map<string, Uint8Array>();
  /** Applies to processes that start later. */
  quota: RecordingQuota = uncounted;
  readonly store: EmbeddedEventStore;
  private readonly directory = mkdtempSync(join(tmpdir(), 'steps-'));
  private processes = 0;

  constructor() {
    this.store = new EmbeddedEventStore({ directory: this.directory });
  }

  /**
   * Starts another simulated process of the service.
   * @param dies the point at which it dies, if it does
   */
  async process(dies?: Dies) {
    const name = `process_${++this.processes}`;
    await this.leases.beat(name, {});
    let writes = 0;
    const mortal = async <T>(write: () => Promise<T>): Promise<T> => {
      writes += 1;
      if (dies !== undefined && writes > dies.atWrite) throw new Died();
      if (dies?.atWrite === writes && dies.when === 'before') throw new Died();
      const done = await write();
      if (dies?.atWrite === writes) throw new Died();
      return done;
    };
    const vault = {
      derive: (text: string) => text,
      seal: (name: string, value: Uint8Array) => mortal(async () => void this.held.set(name, value)),
      open: async (name: string) => this.held.get(name),
      destroy: async (name: string) => void this.held.delete(name),
    } as unknown as Vault;
    const events = {
      append: (requests: readonly AppendRequest[]) => mortal(() => this.store.append(requests)),
      readStream: (stream: string) => this.store.readStream(stream),
    } as unknown as EventStore;
    const ids = new SystemIds(this.clock);
    const readYourWrites = new ReadYourWrites(this.clock, new ReadModels([]), {} as Environment);
    const written = new Journal(events, this.clock, readYourWrites, ids, uncounted);
    const journal = new StepJournal(events, written, { value: name });
    const states = new StepStates(vault, this.clock);
    const attempts = new StepAttempts(new Calls(this.clock, ids, vault), this.clock, storeRetryOf(this.clock));
    const worker = new StepWorker(journal, states, attempts, this.leases, { value: name }, this.clock);
    return {
      name,
      attempts,
      worker,
      runs: new StepRuns(journal, states, this.quota),
      goOn: <State extends object>(kind: StepKind<State>) => worker.resume(kind, specRun.workspaceId, specRun.runId),
      die: () => this.leases.leave(name),
    };
  }

  async close(): Promise<void> {
    await this.store.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
