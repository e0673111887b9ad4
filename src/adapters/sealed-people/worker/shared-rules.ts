import type { PeopleRequest, PeopleRule } from '../../../ports/offloaded/sealed-people.port.js';

/**
 * JSON in memory that is shared with the threads, because a rule can have megabytes, and copying it with every page
 * would be expensive.
 */
export interface SharedRule {
  readonly number: number;
  readonly bytes: SharedArrayBuffer;
}

export interface PageMessage extends Omit<PeopleRequest, 'rule'> {
  readonly rule: SharedRule | undefined;
}

export class WrittenRules {
  private readonly written = new WeakMap<PeopleRule, SharedRule>();
  private last = 0;

  message({ rule, ...request }: PeopleRequest): PageMessage {
    return { ...request, rule: rule && this.shared(rule) };
  }

  private shared(rule: PeopleRule): SharedRule {
    const known = this.written.get(rule);
    if (known !== undefined) return known;
    const text = new TextEncoder().encode(JSON.stringify(rule));
    const bytes = new SharedArrayBuffer(text.length);
    new Uint8Array(bytes).set(text);
    this.last += 1;
    const made = { number: this.last, bytes };
    this.written.set(rule, made);
    return made;
  }
}

export class ReadRules {
  private number = 0;
  private rule: PeopleRule | undefined;

  request({ rule: shared, ...request }: PageMessage): PeopleRequest {
    return { ...request, rule: shared && this.read(shared) };
  }

  private read({ number, bytes }: SharedRule): PeopleRule | undefined {
    if (number === this.number) return this.rule;
    // A text decoder cannot read shared memory, so the bytes are copied first.
    this.rule = JSON.parse(Buffer.from(bytes).toString('utf8')) as PeopleRule;
    this.number = number;
    return this.rule;
  }
}
