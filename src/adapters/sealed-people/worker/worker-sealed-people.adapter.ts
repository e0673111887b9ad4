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
  /** Time, in milliseconds, after which an unused thread ends. */
  readonly idleMs?: number;
  readonly onThread?: (thread: Worker) => void;
}

/** Two pages of people of a large site are processed in parallel, and the third thread remains for other workspaces. */
const turns = { mostThreads: 3, mostEach: 2 };

/**
 * A thread gets the vault's keys when it starts. With each page of people, it gets their own keys, which are sealed.
 */
export class WorkerSealedPeople extends SealedPeople {
  private readonly turns: ThreadTurns<PageMessage, SealedPeopleAnswer>;
  private readonly rules = new WrittenRules();

  constructor({ masterKey, idleMs = 30_000, onThread }: WorkerSealedPeopleOptions) {
    super();
    const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
    const about = { name: 'sealed-people', beside: import.meta.url, script: 'thread.js', limits };
    // A page takes some milliseconds, or some seconds with the largest rule.
    const options = { ...about, deadlineMs: 30_000, data: new Envelope(masterKey).keys, idleMs, onThread };
    this.turns = new ThreadTurns(options, turns);
  }

  override async judge(request: PeopleRequest): Promise<JudgedPeople> {
    if (request.people.length === 0) return { ids: [], tokens: [] };
    const answer = await this.turns
      .request(request.workspaceId, this.rules.message(request))
      .catch((cause: unknown) => {
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
