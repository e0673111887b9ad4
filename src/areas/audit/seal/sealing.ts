import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { metadataOf } from '../../../engine/operation/operation-context.js';
import { auditSealed, signHead } from '../../../kernel/audit-chain/signed-head.js';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import { revisionPruned } from '../../../kernel/event/pruned-revision.js';
import { RecordedLog, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import { type AuditSealedEvent, sealStream } from './audit-seal.record.js';
import { auditedKinds } from './audited-kinds.js';
import { type NextSeal, OpenChain } from './open-chain.js';
import { RecordedSeals } from './recorded-seals.js';
import { SealKey } from './seal-key.api.js';

/**
 * Maximum number of attempts to record a seal. An attempt fails if another process has sealed the chain in the
 * meantime.
 */
const mostAttempts = 10;
/** Maximum number of events in a seal, because the event that records the seal has a size limit. */
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
   * @param followed the chain in memory, if this process follows the log
   * @throws EventStoreUnavailable
   */
  async sealToTheEnd(workspaceId: string, followed?: OpenChain): Promise<void> {
    const chain = followed ?? (await this.open(workspaceId));
    const upTo = await this.store.head();
    for (let from = chain.position; ; ) {
      const page = await this.store.readAll({ from, workspaceId, categories: auditedKinds(), limit: mostInASeal });
      for (const event of page) if (event.type !== revisionPruned && event.position <= upTo) chain.add(event);
      await this.seal(chain);
      from = page.at(-1)?.position ?? from;
      if (page.length < mostInASeal || from >= upTo) return;
    }
  }

  /**
   * The append requires the revision of the previous seal, so there is only one chain, even if several processes seal.
   * @throws EventStoreUnavailable; the call may be repeated
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
        // If the newest seals were removed, the last seal found has a lower revision than the stream. The append must
        // expect the revision of the stream.
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
    // The id is derived from the seal, so a repeated attempt records the seal only once.
    const id = derivedUuid(`${operation}/${workspaceId}/${place.previous.head}/${place.head}`);
    const events = [{ id, ...seal, metadata: metadataOf(call) }];
    const expected = revision < 0 ? 'none' : revision;
    const [appended] = await this.store.append([{ stream: sealStream(workspaceId), expected, events }]);
    return appended?.revision ?? revision + 1;
  }
}
