import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { PersonalData } from '../../../../engine/personal-data/personal-data.js';
import { LiveEvents } from '../../../../engine/read-models/live-events.js';
import { ReadYourWrites } from '../../../../engine/read-models/read-your-writes.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { RecordedEvent } from '../../../../kernel/event/event.js';
import { parseStream } from '../../../../kernel/event/stream-name.js';
import { Refusal } from '../../../../kernel/refusals/refusal.js';
import { EventStore } from '../../../../ports/event-store.port.js';
import { type Row, type RowEvent, type RowValues, rows } from '../row.record.js';

/** Values are decrypted and must not be recorded. */
export interface RowChange {
  readonly workspaceId: string;
  readonly tableId: string;
  readonly rowId: string;
  /**
   * `before` is undefined if the row did not exist before the event, and `after` if the row does not exist after the
   * event. `erased` means that the row's values have been destroyed.
   */
  readonly before: Row | 'erased' | undefined;
  readonly after: Row | undefined;
}

interface Hearing {
  wants(tableId: string): boolean;
  changed(changes: readonly RowChange[]): void;
  /** Called if any rows of the site have changed, even in tables that the listener does not need. */
  touched(projectId: string): void;
}

@Injectable()
export class RowChanges implements BeforeApplicationShutdown {
  private readonly live: LiveEvents;
  private hearing: Hearing | undefined;

  constructor(
    private readonly events: EventStore,
    private readonly reads: Reads,
    private readonly personal: PersonalData,
    private readonly readYourWrites: ReadYourWrites,
  ) {
    const handle = (recorded: readonly RecordedEvent[]) => this.take(recorded as readonly RecordedRow[]);
    this.live = new LiveEvents(events, { categories: [rows.category], handle });
  }

  on(hearing: Hearing): void {
    this.hearing = hearing;
  }

  /**
   * Reports the changes that are recorded from now on.
   * @throws if the log cannot be read
   */
  begin(): Promise<void> {
    return this.live.begin();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.live.stop();
  }

  private async take(events: readonly RecordedRow[]): Promise<void> {
    const last = events.at(-1);
    if (last === undefined) return;
    // From now on, reads wait until they include these events, because listeners read the rows next.
    this.readYourWrites.appended(last.position, events);
    const changes: RowChange[] = [];
    for (const event of events) {
      if (this.hearing?.wants(event.data.tableId)) changes.push(await this.changeIn(event));
    }
    if (changes.length > 0) this.hearing?.changed(changes);
    const sites = events.map(({ data }) => (data as { readonly projectId?: string | null }).projectId);
    for (const projectId of new Set(sites)) if (projectId) this.hearing?.touched(projectId);
  }

  private async changeIn(event: RecordedRow): Promise<RowChange> {
    const { workspaceId, id: rowId } = parseStream(event.stream);
    const { tableId } = event.data;
    const of = { workspaceId, tableId, rowId };
    const [opened, previous] = await Promise.all([
      this.personal.opened(workspaceId, event),
      event.revision === 0 ? undefined : this.previous(event),
    ]);
    const known = await this.reads.get<Row>(workspaceId, rows.collection.name, rowId).catch(ifRefused);
    const before = previous && stateAfter(previous, of, known);
    const after = stateAfter(opened, of, known);
    if (after === 'erased' || before === 'erased') return { ...of, before: 'erased', after: undefined };
    return { ...of, before, after };
  }

  private async previous({ stream, revision }: RecordedRow): Promise<RecordedRow | undefined> {
    const [found] = await this.events.readStream(stream, { from: revision - 1, direction: 'backward', limit: 1 });
    return found && this.personal.opened(found.metadata.workspaceId, found as RecordedRow);
  }
}

/**
 * A refusal means that the read model has quarantined the row, because it could not apply one of its events. Such a row
 * is ignored, so that changes of other rows are still reported.
 */
function ifRefused(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

type RecordedRow = RecordedEvent & RowEvent;
type Of = Pick<RowChange, 'workspaceId' | 'tableId' | 'rowId'>;

/**
 * Returns undefined if the event deleted the row, or `erased` if the row's values have been destroyed. `known` is the
 * row in the read model, whose creator and creation time never change.
 */
function stateAfter(event: RecordedRow, { workspaceId, tableId, rowId }: Of, known: Row | undefined) {
  if (event.type === 'RowDeleted') return undefined;
  if (event.type === 'RowErased') return 'erased';
  const { at } = event.metadata;
  // If the values cannot be decrypted, the row's key has been destroyed.
  if (!isOpen(event.data.values)) return 'erased';
  const isNew = event.type === 'RowCreated';
  const row: Row = {
    id: rowId,
    workspaceId,
    tableId,
    deletedFrom: null,
    createdBy: isNew ? event.data.createdByUser : (known?.createdBy ?? null),
    values: event.data.values,
    createdAt: isNew ? at : (known?.createdAt ?? at),
    updatedAt: at,
  };
  return row;
}

const isOpen = (values: RowValues | null): values is RowValues => typeof values === 'object' && values !== null;
