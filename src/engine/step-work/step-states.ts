import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';
import type { StepOutcome } from './step-kind.js';
import type { StepRun } from './step-run.record.js';

export const stateRetentionMs = 30 * 24 * 3_600_000;

/** The state after a step. A worker that finds it need not repeat the step. */
export interface StoredState<State> {
  readonly state: State;
  readonly resumeAt?: number;
  readonly note?: Extract<StepOutcome<State>, { done: true }>['note'];
}

type RunId = Pick<StepRun, 'workspaceId' | 'id'>;

/**
 * Each start of a step has its own vault entry, whose name contains the revision of the `StepStarted` event. So a
 * process that was wrongly considered dead cannot overwrite the state of the process that took over. Entries to which
 * no journal refers expire.
 */
@Injectable()
export class StepStates {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  async seal(category: string, run: RunId, revision: number, stored: StoredState<object>): Promise<void> {
    const expiresAt = Math.max(this.clock.now(), stored.resumeAt ?? 0) + stateRetentionMs;
    const value = Buffer.from(JSON.stringify(stored));
    await this.vault.seal(nameOf(category, run, revision), value, { expiresAt });
  }

  async open(category: string, run: RunId, revision: number): Promise<StoredState<object> | undefined> {
    const value = await this.vault.open(nameOf(category, run, revision));
    return value && (JSON.parse(Buffer.from(value).toString('utf8')) as StoredState<object>);
  }

  /** If the vault is unavailable, the states are left to expire. */
  async destroy(category: string, run: RunId, revisions: readonly number[]): Promise<void> {
    const names = [...new Set(revisions)].map((revision) => nameOf(category, run, revision));
    await Promise.all(names.map((name) => this.vault.destroy(name).catch(() => undefined)));
  }
}

const nameOf = (category: string, { workspaceId, id }: RunId, revision: number) =>
  `${category}/${workspaceId}/${id}.${revision}`;
