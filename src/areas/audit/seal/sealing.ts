import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { metadataOf } from '../../../engine/operation/operation-context.js';
import { signHead } from '../../../kernel/audit-chain/signed-head.js';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import { revisionPruned } from '../../../kernel/event/pruned-revision.js';
import { RecordedLog, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import { type AuditSealedEvent, auditSealed, sealStream } from './audit-seal.record.js';
import { auditedKinds } from './audited-kinds.js';
import { type NextSeal, OpenChain } from './open-chain.js';
import { RecordedSeals } from './recorded-seals.js';
import { SealKey } from './seal-key.api.js';

/** Several processes may seal the same chain; the loser of a race continues from the winner's seal. */
const mostAttempts = 10;
/** Maximum number of events in a seal. More would exceed the size limit of the seal's own event. */
export const mostInASeal = 1_000;
const operation = 'audit-sealing';

@Injectable()
export class Sealing {
  constructor(
    private readonly store: RecordedLog,
    private readonly seals: RecordedSeals,
    private readonly key: SealKey,
    private readonly calls: Calls,
  ) {}

  async open(workspaceId: string): Promise<OpenChain> {
    return new OpenChain(workspaceId, await this.seals.upTo(workspaceId));
  }

  /**
   * Seals everything recorded in a workspace so far, in this process.
   * @param followed the open chain, if this process follows the log.
   * @throws EventStoreUnavailable
   */
  async sealToTheEnd(workspaceId: string, followed?: OpenChain): Promise<void> {
    const chain = followed ?? (await this.open(workspaceId));
    const upTo = await this.store.head();
    for (let from = chain.position; ; ) {
      const page = await this.store.readAll({ from, workspaceId, categories: auditedKinds(), limit: mostInASeal });
      for (const event of page) if (event.type !== revisionPruned && event.position <= upTo) chain.take(event);
      await this.seal(chain);
      from = page.at(-1)?.position ?? from;
      if (page.length < mostInASeal || from >= upTo) return;
    }
  }

  /**
   * Records a seal over all waiting events. Each seal requires the revision of the one before it, so there is a single
   * chain, whichever process seals.
   * @throws EventStoreUnavailable; nothing is lost, and the call may be retried
   */
  async seal(chain: OpenChain): Promise<void> {
    for (let tries = 1; ; tries++) {
      const next = chain.next();
      if (next === undefined) return;
      try {
        const revision = await this.record(chain, next);
        return chain.isSealed(next, revision);
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || tries === mostAttempts) throw error;
        const upTo = await this.seals.upTo(chain.workspaceId);
        // The stream's revision is beyond its last event, because its end was removed. audit:verify reports the gap.
        chain.goOnFrom({ ...upTo, revision: Math.max(upTo.revision, error.actual) });
      }
    }
  }

  private async record({ workspaceId, revision }: OpenChain, { digests, last, ...place }: NextSeal): Promise<number> {
    const call = this.calls.once(workspaceId, systemActor(operation), operation);
    const head = { workspaceId, ...place, kinds: auditedKinds(), signedAt: call.at };
    const seal: AuditSealedEvent = {
      type: auditSealed,
      data: { head: signHead(head, this.key.signing), digests, last },
    };
    // The same seal has the same id, so it is recorded once, even if the outcome of the first attempt is unknown.
    const id = derivedUuid(`${operation}/${workspaceId}/${place.previous.head}/${place.head}`);
    const events = [{ id, ...seal, metadata: metadataOf(call) }];
    const expected = revision < 0 ? 'none' : revision;
    const [appended] = await this.store.append([{ stream: sealStream(workspaceId), expected, events }]);
    return appended?.revision ?? revision + 1;
  }
}
