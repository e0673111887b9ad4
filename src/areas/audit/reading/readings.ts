import type { RecordedEvent } from '../../../kernel/event/event.js';

interface Repeats {
  /** Number of repetitions that have not been recorded yet. */
  more: number;
  /** Minimum number of repetitions that are recorded together. */
  together: number;
}

/** The questions that a caller has asked in one hour. Counts how often this process has answered each of them again. */
export class Readings {
  /** Revision of the last event that was read from the stream or appended; -1 if there is none. */
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

  /** Adds the questions in these events. Known questions are not changed. */
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

  /** Returns the number of repetitions to record now, or 0 if there are too few. */
  due(question: string): number {
    const { more, together } = this.repeats.get(question) ?? { more: 0, together: 1 };
    return more < together ? 0 : more;
  }

  /** Call this when the question or its repetitions have been recorded. */
  recorded(question: string): void {
    const repeats = this.repeats.get(question);
    this.repeats.set(question, { more: 0, together: repeats === undefined ? 1 : repeats.together * 2 });
  }
}
