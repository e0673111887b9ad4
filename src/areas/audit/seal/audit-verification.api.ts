import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { revisionPruned } from '../../../kernel/event/pruned-revision.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { UnreadableEvent } from '../../../kernel/event/unreadable-event.js';
import { Clock } from '../../../ports/clock.port.js';
import { type LogSnapshot, RecordedLog } from '../../../ports/event-store.port.js';
import { auditSealCategory, sealStream } from './audit-seal.record.js';
import { auditedKinds } from './audited-kinds.js';
import { SealKey } from './seal-key.api.js';
import type { TrustedHeads } from './trusted-heads.api.js';
import { type ChainVerdict, WorkspaceCheck } from './workspace-check.js';

const sealsAPage = 10;
/**
 * A running service seals within a minute. If an event is unsealed for longer than this limit, the service did not run,
 * the event was inserted later, or its seal was removed.
 */
const longestUnsealedMs = 5 * 60_000;

interface Checks {
  /** Those of workspaces of which an audited event or a seal was read. */
  readonly checks: ReadonlyMap<string, WorkspaceCheck>;
  checkOf(workspaceId: string): WorkspaceCheck;
}

@Injectable()
export class AuditVerification {
  constructor(
    private readonly store: RecordedLog,
    private readonly key: SealKey,
    private readonly clock: Clock,
  ) {}

  /** @throws EventStoreUnavailable, Error if the log cannot be read */
  async verify(trusted: TrustedHeads): Promise<readonly ChainVerdict[]> {
    const { publicKey } = this.key.signing;
    trusted.mustBeSignedWith(publicKey);
    const against = { publicKey, kinds: auditedKinds() };
    const snapshot = await this.store.snapshot();
    try {
      const checks = new Map<string, WorkspaceCheck>();
      const checkOf = (workspaceId: string): WorkspaceCheck => {
        const known = checks.get(workspaceId);
        if (known !== undefined) return known;
        const seals = this.sealsOf(workspaceId, snapshot.head);
        const made = new WorkspaceCheck(workspaceId, seals, { ...against, trusted: trusted.checkFor(workspaceId) });
        checks.set(workspaceId, made);
        return made;
      };
      const lastAt = await this.readAll(snapshot, against.kinds, { checks, checkOf });
      for (const workspaceId of trusted.workspaces) checkOf(workspaceId);
      const verdicts = await Promise.all([...checks.values()].map((check) => check.finish()));
      return verdicts.map((verdict) => withUnsealed(verdict, lastAt, this.clock.now()));
    } finally {
      await snapshot.close();
    }
  }

  private async readAll(snapshot: LogSnapshot, kinds: readonly string[], { checks, checkOf }: Checks): Promise<string> {
    const chained = new Set(kinds);
    let readable = -1;
    let lastAt = '';
    try {
      for await (const event of snapshot.events()) {
        if (event.metadata.at > lastAt) lastAt = event.metadata.at;
        const { category, workspaceId } = parseStream(event.stream);
        if (category === auditSealCategory) await checkOf(workspaceId).passed(event.revision);
        else if (event.type !== revisionPruned) {
          // A newer version may have sealed events of kinds that this version does not know.
          const check = chained.has(category) ? checkOf(workspaceId) : checks.get(workspaceId);
          const taking = check?.add(event);
          if (taking !== undefined) await taking;
        }
        readable = event.position;
      }
    } catch (error) {
      if (!(error instanceof UnreadableEvent || error instanceof RangeError)) throw error;
      throw new Error(
        `The log cannot be read after position ${readable}: the next event was changed and is no longer valid JSON.`,
      );
    }
    return lastAt;
  }

  private async *sealsOf(workspaceId: string, head: number): AsyncGenerator<RecordedEvent> {
    for (let from = 0; ; ) {
      const page = await this.store.readStream(sealStream(workspaceId), { from, limit: sealsAPage });
      for (const seal of page) {
        if (seal.position > head) return;
        yield seal;
        from = seal.revision + 1;
      }
      if (page.length < sealsAPage) return;
    }
  }
}

function withUnsealed(verdict: ChainVerdict, lastAt: string, now: number): ChainVerdict {
  const { problem, seals, unsealed, unsealedSince = '' } = verdict;
  if (problem !== undefined || unsealed === 0) return verdict;
  const waits = seals === 0 ? 'nothing is sealed' : `the last ${unsealed} events are not sealed`;
  const isOverdue = (at: number) => at - Date.parse(unsealedSince) > longestUnsealedMs;
  if (isOverdue(Date.parse(lastAt))) {
    return {
      ...verdict,
      problem: `${waits} although the log continues until ${lastAt}: seals were removed, or the service has not sealed anything since ${unsealedSince}; let it run for a minute and verify again`,
    };
  }
  // If the first unsealed event is recent, the service might still seal it. Otherwise, the service was killed or seals
  // were removed.
  if (!isOverdue(now)) return verdict;
  return {
    ...verdict,
    problem: `${waits} although the first of them was recorded on ${unsealedSince}: seals were removed, or the service was killed or copied before it sealed them; compare with stored heads (--heads), then let the service run for a minute, so that it seals these events, and verify again`,
  };
}
