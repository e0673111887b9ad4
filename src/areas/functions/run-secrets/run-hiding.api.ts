import type { Json } from '../../../kernel/json/json.js';
import type { LargeTexts, TextKind } from '../../../ports/offloaded/large-texts.port.js';
import { collectTexts } from '../../../secret-text/hiding/json-texts.js';
import { type Redacted, type Redactor, redactedJson } from '../../../secret-text/hiding/redactor.js';

/**
 * Maximum length of a text that is searched in this thread. Searching a longer text would block the thread noticeably.
 */
const longestInline = 32 * 1024;

export class RunHiding {
  private looked = 0;

  constructor(
    private readonly workspaceId: string,
    private readonly redactors: readonly Redactor[],
    private readonly large: LargeTexts | undefined,
  ) {}

  /** Number of characters searched so far. */
  get lookedThrough(): number {
    return this.looked;
  }

  async text(text: string): Promise<Redacted<string>> {
    return this.inTurn(text, async (shown, redactor) => {
      const hidden = await this.hide(redactor, [shown], 'text');
      if (!hidden) return { value: shown, hid: false };
      return { value: hidden.texts.join(''), hid: true, ...(hidden.guessable ? { guessable: true } : {}) };
    });
  }

  async json(value: Json): Promise<Redacted<Json>> {
    return this.inTurn(value, async (shown, redactor) => {
      const texts: string[] = [];
      collectTexts(shown, texts);
      return redactedJson(shown, await this.hide(redactor, texts, 'text'));
    });
  }

  async bytes(bytes: Uint8Array): Promise<Redacted<Uint8Array>> {
    return this.inTurn(bytes, async (shown, redactor) => {
      const hidden = await this.hide(redactor, [Buffer.from(shown).toString('latin1')], 'bytes');
      if (!hidden) return { value: shown, hid: false };
      const value = Buffer.from(hidden.texts.join(''), 'latin1');
      return { value, hid: true, ...(hidden.guessable ? { guessable: true } : {}) };
    });
  }

  /** Stops at the first redactor that finds a guessable secret, because that redactor hides the whole value. */
  private async inTurn<T>(
    given: T,
    look: (shown: T, redactor: Redactor) => Promise<Redacted<T>>,
  ): Promise<Redacted<T>> {
    let done: Redacted<T> = { value: given, hid: false };
    for (const redactor of this.redactors) {
      const next = await look(done.value, redactor);
      done = { ...next, hid: done.hid || next.hid };
      if (done.guessable) return done;
    }
    return done;
  }

  private async hide(redactor: Redactor, texts: readonly string[], kind: TextKind) {
    const size = texts.reduce((sum, { length }) => sum + length, 0);
    this.looked += size;
    if (this.large === undefined || size <= longestInline) return redactor.hide(texts, kind);
    return this.large.hide({ workspaceId: this.workspaceId, tables: redactor.tables, texts, kind });
  }
}
