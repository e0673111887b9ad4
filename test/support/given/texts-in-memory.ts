import { type NewText, type StoredText, Texts } from '../../../src/ports/texts.port.js';

/** Stores texts in memory. */
export class TextsInMemory extends Texts {
  readonly held = new Map<string, string>();

  override async put(workspaceId: string, texts: readonly NewText[]): Promise<void> {
    for (const { digest, text } of texts) this.held.set(`${workspaceId}/${digest}`, text);
  }

  override async get(workspaceId: string, digests: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map(
      digests.flatMap((digest) => {
        const text = this.held.get(`${workspaceId}/${digest}`);
        return text === undefined ? [] : [[digest, text] as const];
      }),
    );
  }

  override async *storedTexts(): AsyncIterable<StoredText> {}

  override async putStored(): Promise<void> {
    throw new Error('Nothing is imported here.');
  }

  override async check(): Promise<void> {}

  override async close(): Promise<void> {}
}
