import type { DomainEvent, Recorded, RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { RecordId } from '../ownership/dependents.js';
import type { Saga } from './saga.js';

/** Must be idempotent. */
type Destroy<Event extends DomainEvent> = (
  over: RecordId & Pick<Recorded<Event>, 'stream' | 'data' | 'position'>,
) => Promise<void>;

export class LeftoversSaga<Event extends DomainEvent, Type extends Event['type']> implements Saga {
  readonly atOnce: number;
  readonly subjectOf?: (event: RecordedEvent) => string;
  readonly reactToAll?: (events: readonly RecordedEvent[]) => Promise<void>;

  /** @param together whether many events are handled concurrently, without any order */
  constructor(
    readonly name: string,
    readonly reads: readonly Type[],
    private readonly destroy: Destroy<Extract<Event, { type: Type }>>,
    { atOnce = 1, together = false }: { readonly atOnce?: number; readonly together?: boolean } = {},
  ) {
    this.atOnce = atOnce;
    if (!together) return;
    this.subjectOf = ({ id }) => id;
    this.reactToAll = async (events) => {
      await Promise.all(events.map((event) => this.react(event)));
    };
  }

  async react(event: RecordedEvent): Promise<void> {
    const { stream, data, position } = event as unknown as Recorded<Extract<Event, { type: Type }>>;
    const { workspaceId, id } = parseStream(stream);
    await this.destroy({ workspaceId, id, stream, data, position });
  }
}
