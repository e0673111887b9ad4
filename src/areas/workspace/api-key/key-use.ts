import { Injectable, Logger } from '@nestjs/common';
import { actorOf, Calls } from '../../../engine/operation/calls.js';
import { metadataOf } from '../../../engine/operation/operation-context.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';
import type { ApiKeyUseEvent } from './api-key.record.js';

const atMostEveryMs = 10 * 60_000;

/** Records at most one use every ten minutes per key and process, without delaying the call. */
@Injectable()
export class KeyUse {
  private readonly log = new Logger('Keys');
  private readonly seenAt = new Map<string, number>();

  constructor(
    private readonly store: EventStore,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  seen(caller: Caller): void {
    const now = this.clock.now();
    if (now - (this.seenAt.get(caller.keyId) ?? Number.NEGATIVE_INFINITY) < atMostEveryMs) return;
    this.seenAt.set(caller.keyId, now);
    this.record(caller).catch((error: unknown) => {
      this.seenAt.delete(caller.keyId);
      this.log.warn(`The use of key ${caller.keyId} could not be recorded: ${reasonOf(error)}`);
    });
  }

  /** Only the last use matters, so earlier events are pruned at once. */
  private async record(caller: Caller): Promise<void> {
    const stream = streamOf('apiKeyUse', caller.workspaceId, caller.keyId);
    const event: ApiKeyUseEvent = { type: 'ApiKeyUsed', data: {} };
    const metadata = metadataOf(this.calls.once(caller.workspaceId, actorOf(caller), 'workspace/useApiKey', caller));
    const [appended] = await this.store.append([
      { stream, expected: 'any', events: [{ id: this.ids.uuid(), ...event, metadata }] },
    ]);
    if (appended !== undefined && appended.revision > 0) await this.store.truncate(stream, appended.revision);
  }
}
