import { Injectable } from '@nestjs/common';
import { ReadStore } from '../../../ports/read-store.port.js';
import type { OccurrenceLedger } from './occurrence.record.js';
import { emptyLedger, type LedgerState } from './occurrence-journal.js';
import type { Schedule } from './schedule.record.js';

const pageSize = 1_000;

@Injectable()
export class ActiveSchedules {
  constructor(private readonly store: ReadStore) {}

  /** Returns a log position up to which the read model of schedules is complete, or -1 if it is not built yet. */
  async position(): Promise<number> {
    const generation = await this.store.active('schedules');
    return generation === undefined ? -1 : this.store.checkpoint({ projection: 'schedules', generation });
  }

  /**
   * Yields all active schedules with their ledgers, as the read model has them. If a ledger is outdated, the next write
   * to the schedule's journal conflicts.
   */
  async *all(): AsyncGenerator<{ readonly schedule: Schedule; readonly state: LedgerState }> {
    let last: string | undefined;
    for (;;) {
      const page = await this.store.find<Schedule>('schedules', {
        where: { isActive: true },
        limit: pageSize,
        ...(last === undefined ? {} : { after: [last] }),
      });
      const ids = page.map(({ id }) => id);
      const known = await this.store.find<OccurrenceLedger>('occurrences', { where: { id: { in: ids } } });
      const ledgers = new Map(known.map((ledger) => [ledger.id, ledger]));
      for (const schedule of page) {
        const ledger = ledgers.get(schedule.id);
        yield { schedule, state: ledger === undefined ? emptyLedger : { revision: ledger.revision, ledger } };
      }
      last = ids.at(-1);
      if (page.length < pageSize) return;
    }
  }
}
