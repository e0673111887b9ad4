import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter } from '../../../ports/event-store.port.js';
import { eventOf, type RecordedTexts, textsSize } from './event-texts.js';
import type { StreamHead } from './stream-heads.js';

export interface TailEvent {
  readonly head: Pick<StreamHead, 'category' | 'workspaceId'>;
  readonly texts: RecordedTexts;
}

const generationEvents = 500;
const generationCharacters = 4_000_000;

/**
 * Holds the end of the log in memory in two parts: when `younger` is full, it replaces `older`. Events are parsed from
 * their JSON instead of taken from the caller, whose object can change and can differ from its JSON.
 */
export class Tail {
  private older: readonly TailEvent[] = [];
  private younger: TailEvent[] = [];
  private youngerCharacters = 0;
  private olderAfter: number;
  private youngerAfter: number;
  private readonly parsed = new WeakMap<TailEvent, RecordedEvent>();

  constructor(head: number) {
    this.olderAfter = head;
    this.youngerAfter = head;
  }

  covers(position: number): boolean {
    return position >= this.olderAfter;
  }

  push(events: readonly TailEvent[]): void {
    for (const event of events) {
      this.younger.push(event);
      this.youngerCharacters += event.texts.data.length + event.texts.metadata.length;
      if (this.younger.length < generationEvents && this.youngerCharacters < generationCharacters) continue;
      this.older = this.younger;
      this.olderAfter = this.youngerAfter;
      this.younger = [];
      this.youngerAfter = event.texts.position;
      this.youngerCharacters = 0;
    }
  }

  /** The next event that is added must be the one after `head`. */
  reset(head: number): void {
    this.older = [];
    this.younger = [];
    this.youngerCharacters = 0;
    this.olderAfter = head;
    this.youngerAfter = head;
  }

  after(position: number, filter: EventFilter): { readonly events: readonly RecordedEvent[]; readonly size: number } {
    const older = position < this.youngerAfter ? later(this.older, position) : [];
    const found = [...older, ...later(this.younger, position)].filter((event) => matches(event, filter));
    return { events: found.map((event) => this.parse(event)), size: textsSize(found.map(({ texts }) => texts)) };
  }

  private parse(event: TailEvent): RecordedEvent {
    const known = this.parsed.get(event);
    if (known !== undefined) return known;
    const parsed = eventOf(event.texts);
    this.parsed.set(event, parsed);
    return parsed;
  }
}

function later(events: readonly TailEvent[], position: number): readonly TailEvent[] {
  return events.slice(events.findLastIndex((event) => event.texts.position <= position) + 1);
}

function matches({ head, texts }: TailEvent, { categories, types, workspaceId }: EventFilter): boolean {
  return (
    (types === undefined || types.includes(texts.type)) &&
    (categories === undefined || categories.includes(head.category)) &&
    (workspaceId === undefined || workspaceId === head.workspaceId)
  );
}
