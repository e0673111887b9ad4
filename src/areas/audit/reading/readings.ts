import type { RecordedEvent } from '../../../kernel/event.js';

interface Repeats {
  /** Times it was asked again that are not on record yet. */
  more: number;
  /** So many are recorded together. */
  together: number;
}

/** The questions that one caller has asked the audit in one hour, and how often each was asked again in this process. */
export class Readings {
  /** Of the last event of their stream that is known here; -1: none. */
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

  /** Takes in what stands in the stream behind what is known. */
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

  /** How many more times have to be recorded now; 0: it can wait. */
  due(question: string): number {
    const { more, together } = this.repeats.get(question) ?? { more: 0, together: 1 };
    return more < together ? 0 : more;
  }

  /** It, or how often it was asked again, is on record now. */
  recorded(question: string): void {
    const repeats = this.repeats.get(question);
    this.repeats.set(question, { more: 0, together: repeats === undefined ? 1 : repeats.together * 2 });
  }
}
