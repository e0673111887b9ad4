import type { Worker } from 'node:worker_threads';
import {
  type JudgedPeople,
  PeopleNotJudged,
  type PeopleRequest,
  SealedPeople,
} from '../../../ports/offloaded/sealed-people.port.js';
import { VaultSealBroken } from '../../../ports/vault.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';
import { Envelope } from '../../vault/envelope.js';
import { type PageMessage, WrittenRules } from './shared-rules.js';

export type SealedPeopleAnswer = JudgedPeople | { readonly broken: string };

export interface WorkerSealedPeopleOptions {
  /** Master key of the vault, 32 bytes; see `readMasterKey`. */
  readonly masterKey: Uint8Array;
  /** Time for which an unused thread waits for the next page. */
  readonly idleMs?: number;
  readonly onThread?: (thread: Worker) => void;
}

/**
 * Of the three threads, one workspace uses two at most: two pages of a large site are judged in parallel, and no other
 * site waits for all pages of it.
 */
const turns = { mostThreads: 3, mostEach: 2 };

/**
 * Judges people in threads, which are started on demand. They get the vault's key objects once, and the sealed keys
 * with each page.
 */
export class WorkerSealedPeople extends SealedPeople {
  private readonly turns: ThreadTurns<PageMessage, SealedPeopleAnswer>;
  private readonly rules = new WrittenRules();

  constructor({ masterKey, idleMs = 30_000, onThread }: WorkerSealedPeopleOptions) {
    super();
    const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
    const about = { name: 'sealed-people', beside: import.meta.url, script: 'thread.js', limits };
    // A page takes some milliseconds, or some seconds with a rule of the largest size.
    const options = { ...about, deadlineMs: 30_000, data: new Envelope(masterKey).keys, idleMs, onThread };
    this.turns = new ThreadTurns(options, turns);
  }

  override async judge(request: PeopleRequest): Promise<JudgedPeople> {
    if (request.people.length === 0) return { ids: [], tokens: [] };
    const answer = await this.turns.ask(request.workspaceId, this.rules.message(request)).catch((cause: unknown) => {
      throw new PeopleNotJudged('The thread that judges sealed users is not available.', { cause });
    });
    if (answer === undefined) throw new PeopleNotJudged('The thread that judges sealed users ended. Try again.');
    if ('broken' in answer) throw new VaultSealBroken(answer.broken);
    return answer;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
