import type { NewText, Texts } from '../../ports/texts.port.js';

export class DryRunTexts {
  private readonly own = new Map<string, string>();

  constructor(private readonly texts: Texts) {}

  async put(workspaceId: string, texts: readonly NewText[]): Promise<void> {
    for (const { digest, text } of texts) this.own.set(`${workspaceId}/${digest}`, text);
  }

  async get(workspaceId: string, digests: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const digest of digests) {
      const text = this.own.get(`${workspaceId}/${digest}`);
      if (text !== undefined) found.set(digest, text);
    }
    const others = digests.filter((digest) => !found.has(digest));
    const real = others.length === 0 ? [] : await this.texts.get(workspaceId, others);
    return new Map([...found, ...real]);
  }
}
