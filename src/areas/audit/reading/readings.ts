import type { RecordedEvent } from '../../../kernel/event/event.js';

interface Repeats {
  /** Repeats that are not recorded yet. */
  more: number;
  /** This many repeats are recorded together. */
  together: number;
}

/** The questions that one caller asked the audit in one hour, and how often this process answered each again. */
export class Readings {
  /** The revision of the last known event of the stream. -1: none. */
  revision = -1;
  private readonly repeats = new Map<string, Repeats>();

  get questions(): number {
    return this.repeats.size;
  }

  get expected(): number | 'none' {
    return this.revision < 0 ? 'none' : this.revision;
  }

  knows(question: string): boolean {
    return this.repeats.has(question);
  }

  /** Applies events of the stream that are not known yet. */
  learn(events: readonly RecordedEvent[]): void {
    for (const { data, revision } of events) {
      const { question } = data as { readonly question: string };
      if (!this.knows(question)) this.recorded(question);
      this.revision = revision;
    }
  }

  count(question: string): void {
    const repeats = this.repeats.get(question);
    if (repeats !== undefined) repeats.more += 1;
  }

  /** How many repeats must be recorded now. 0: it can wait. */
  due(question: string): number {
    const { more, together } = this.repeats.get(question) ?? { more: 0, together: 1 };
    return more < together ? 0 : more;
  }

  /** The question, or its number of repeats, has been recorded. */
  recorded(question: string): void {
    const repeats = this.repeats.get(question);
    this.repeats.set(question, { more: 0, together: repeats === undefined ? 1 : repeats.together * 2 });
  }
}
