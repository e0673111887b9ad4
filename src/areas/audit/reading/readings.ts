import type { RecordedEvent } from '../../../kernel/event/event.js';

interface Repeats {
  more: number;
  together: number;
}

export class Readings {
  /** Revision of the last event that was read or appended; -1 if there is none. */
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

  due(question: string): number {
    const { more, together } = this.repeats.get(question) ?? { more: 0, together: 1 };
    return more < together ? 0 : more;
  }

  recorded(question: string): void {
    const repeats = this.repeats.get(question);
    this.repeats.set(question, { more: 0, together: repeats === undefined ? 1 : repeats.together * 2 });
  }
}
