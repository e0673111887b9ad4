import {
  erasedText,
  mayHoldSealed,
  placeOf,
  type SealedValue,
  sealedText,
  subjectNamedBy,
  withOpened,
} from '../../kernel/event/personal-data.js';
import type { SubjectCipher } from '../../kernel/event/subject-cipher.js';
import type { Subject, SubjectKeys } from './subject-keys.js';

/**
 * Opens sealed values of one workspace. If all keys are cached, which is usual, one pass of `opened` is enough.
 * Otherwise that pass collects the missing keys, and the caller must call `findKeys` and then `opened` again.
 */
export class Opening {
  /** The cipher of each record, by `<category>/<id>`. Undefined for a record whose encryption key does not exist. */
  private readonly ciphers = new Map<string, SubjectCipher | undefined>();
  private readonly lacking = new Map<string, Subject>();

  constructor(
    private readonly workspaceId: string,
    private readonly keys: SubjectKeys,
  ) {}

  get lacksKeys(): boolean {
    return this.lacking.size > 0;
  }

  /** @throws VaultUnavailable */
  async findKeys(): Promise<void> {
    const lacking = [...this.lacking];
    this.lacking.clear();
    const find = async ([name, subject]: readonly [string, Subject]) =>
      this.ciphers.set(name, await this.keys.find(subject));
    await Promise.all(lacking.map(find));
  }

  /**
   * A value whose key is missing is replaced by the text for erased values. Arrays and plain objects that contain a
   * sealed value are copied; everything else is returned as it is.
   */
  opened(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) {
      let items: unknown[] | undefined;
      for (let at = 0; at < value.length; at += 1) {
        const after = this.opened(value[at]);
        if (after === value[at]) continue;
        items ??= [...value];
        items[at] = after;
      }
      return items ?? value;
    }
    if (!isRecord(value)) return value;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      const after = this.opened(value[key]);
      if (after === value[key]) continue;
      copy ??= { ...value };
      copy[key] = after;
    }
    return copy ?? value;
  }

  private text(text: string): unknown {
    if (!mayHoldSealed(text)) return text;
    const subject = subjectNamedBy(text);
    const before = subject === undefined ? undefined : this.cipherOf(subject)?.openedBefore(text);
    return before === undefined ? withOpened(text, (sealed) => this.one(sealed)) : before.value;
  }

  private one(sealed: SealedValue): unknown {
    const { category, id } = sealed;
    const name = `${category}/${id}`;
    const cipher = this.cipherOf(name);
    if (cipher === undefined) {
      if (!this.ciphers.has(name)) this.lacking.set(name, { workspaceId: this.workspaceId, category, id });
      return erasedText(sealed);
    }
    const text = sealedText(sealed);
    const opened = cipher.open(text, placeOf(this.workspaceId, sealed), sealed.sealed);
    return opened === undefined ? text : opened.value;
  }

  private cipherOf(name: string): SubjectCipher | undefined {
    if (this.ciphers.has(name)) return this.ciphers.get(name);
    const [category = '', id = ''] = name.split('/');
    const cached = this.keys.cached({ workspaceId: this.workspaceId, category, id });
    if (cached !== undefined) this.ciphers.set(name, cached);
    return cached;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
