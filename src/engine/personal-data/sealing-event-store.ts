import type { RecordedEvent } from '../../kernel/event/event.js';
import { personalOf } from '../../kernel/event/personal-data.js';
import { isReadable } from '../../kernel/event/unreadable-event.js';
import type { RecordedLog } from '../../ports/event-store.port.js';
import {
  type Appended,
  type AppendOptions,
  type AppendRequest,
  EventStore,
  type LogSnapshot,
  type ReadAllOptions,
  type ReadStreamOptions,
  type Subscriber,
  type Subscription,
} from '../../ports/event-store.port.js';
import type { PersonalData } from './personal-data.js';

/**
 * Seals on append, and also on read, because older versions recorded personal fields in the clear. On read, values
 * whose key was destroyed are replaced by the text for erased values.
 */
export class SealingEventStore extends EventStore {
  constructor(
    private readonly log: RecordedLog,
    private readonly personal: PersonalData,
  ) {
    super();
  }

  /** @throws VaultUnavailable, before anything is recorded; the errors of the wrapped log */
  override async append(requests: readonly AppendRequest[], options?: AppendOptions): Promise<readonly Appended[]> {
    if (!requests.some(({ stream }) => personalOf(stream) !== undefined)) return this.log.append(requests, options);
    // Sealed concurrently, so that the vault creates the keys of many new records in one commit.
    const sealed = requests.map(
      async (request): Promise<AppendRequest> => ({
        ...request,
        events: await this.personal.sealed(request.stream, request.events),
      }),
    );
    return this.log.append(await Promise.all(sealed), options);
  }

  override async readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.sealed(await this.log.readStream(stream, options));
  }

  override async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.sealed(await this.log.readAll(options));
  }

  override version(): number | undefined {
    return this.log.version();
  }

  override head(): Promise<number> {
    return this.log.head();
  }

  override subscribe(subscriber: Subscriber): Subscription {
    return this.log.subscribe({
      ...subscriber,
      handle: async (events, caughtUpTo) => subscriber.handle(await this.sealed(events), caughtUpTo),
    });
  }

  override truncate(stream: string, beforeRevision: number): Promise<void> {
    return this.log.truncate(stream, beforeRevision);
  }

  /** Snapshots contain the events as recorded, because they are for exports. */
  override snapshot(workspaceId?: string): Promise<LogSnapshot> {
    return this.log.snapshot(workspaceId);
  }

  override check(): Promise<void> {
    return this.log.check();
  }

  override close(): Promise<void> {
    return this.log.close();
  }

  private async sealed(events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
    if (!events.some(({ stream }) => personalOf(stream) !== undefined)) return events;
    const sealed: RecordedEvent[] = [];
    for (const event of events) {
      sealed.push(...(isReadable(event) ? await this.personal.sealed(event.stream, [event]) : [event]));
    }
    return sealed;
  }
}
