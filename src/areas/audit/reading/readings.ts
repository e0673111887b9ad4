import type { RecordedEvent } from '../../../kernel/event/event.js';

interface Repeats {
  /** Number of repetitions that are not recorded yet. */
  more: number;
  /** Number of repetitions that are recorded together. */
  together: number;
}

/** The questions of one caller in one hour, and how often this process answered each again. */
export class Readings {
  /** The revision of the last known event of the stream; -1 if there is none. */
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

  /** Applies events of the stream that are not yet known; others are ignored. */
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

  /** The number of repetitions to record now; 0 if none is due yet. */
  due(question: string): number {
    const { more, together } = this.repeats.get(question) ?? { more: 0, together: 1 };
    return more < together ? 0 : more;
  }

  /** Called when the question, or its repetitions, have been recorded. */
  recorded(question: string): void {
    const repeats = this.repeats.get(question);
    this.repeats.set(question, { more: 0, together: repeats === undefined ? 1 : repeats.together * 2 });
  }
}
