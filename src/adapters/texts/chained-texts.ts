import { wtf8 } from '../../kernel/text/wtf8.js';
import { type NewText, type StoredText, Texts } from '../../ports/texts.port.js';
import { damaged, pack, unpack, verifiedText } from './packed-text.js';
import { TextCache } from './text-cache.js';

export interface TextRow extends StoredText {
  /** Number of texts that must be unpacked before this one, because each is the base of the next. */
  readonly depth: number;
}

/** A text that would exceed this depth is stored without a base, so that reading remains fast. */
const deepest = 16;

export abstract class ChainedTexts extends Texts {
  private readonly cache = new TextCache();

  protected abstract rows(workspaceId: string, digests: readonly string[]): Promise<readonly TextRow[]>;

  /** The rows are durable when the promise resolves. A row whose digest already exists is not changed. */
  protected abstract add(rows: readonly TextRow[]): Promise<void>;

  override async put(workspaceId: string, texts: readonly NewText[]): Promise<void> {
    const fresh = new Map(texts.map((text) => [text.digest, text]));
    const bases = texts.flatMap(({ base }) => (base === undefined ? [] : [base]));
    const known = byDigest(await this.rows(workspaceId, [...new Set([...fresh.keys(), ...bases])]));
    const rows = [...fresh.values()].filter(({ digest }) => !known.has(digest));
    const packed = await Promise.all(rows.map((text) => this.packed(workspaceId, text, known.get(text.base ?? ''))));
    if (packed.length > 0) await this.add(packed);
    for (const { digest, text } of fresh.values()) this.cache.set(keyOf(workspaceId, digest), text);
  }

  override async get(workspaceId: string, digests: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const missing: string[] = [];
    for (const digest of new Set(digests)) {
      const text = this.cache.get(keyOf(workspaceId, digest));
      if (text === undefined) missing.push(digest);
      else found.set(digest, text);
    }
    if (missing.length === 0) return found;
    for (const row of await this.rows(workspaceId, missing)) found.set(row.digest, await this.unpacked(row));
    return found;
  }

  override async putStored({ workspaceId, digest, base, packed }: StoredText): Promise<void> {
    if ((await this.rows(workspaceId, [digest])).length > 0) return;
    const [under] = base === null ? [] : await this.rows(workspaceId, [base]);
    if (base !== null && under === undefined) throw damaged(digest);
    const bytes = await unpack(digest, packed, under && wtf8(await this.textOf(under)));
    const text = verifiedText(digest, bytes);
    const depth = under === undefined ? 0 : under.depth + 1;
    if (depth > deepest) await this.put(workspaceId, [{ digest, text }]);
    else await this.add([{ workspaceId, digest, base, packed, depth }]);
    this.cache.set(keyOf(workspaceId, digest), text);
  }

  private async packed(workspaceId: string, { digest, text }: NewText, base: TextRow | undefined): Promise<TextRow> {
    const under = base !== undefined && base.depth < deepest ? base : undefined;
    const baseText = under && (await this.textOf(under));
    const { packed, onBase } = await pack(text, baseText);
    if (under === undefined || !onBase) return { workspaceId, digest, base: null, packed, depth: 0 };
    return { workspaceId, digest, base: under.digest, packed, depth: under.depth + 1 };
  }

  private async textOf(row: TextRow): Promise<string> {
    return this.cache.get(keyOf(row.workspaceId, row.digest)) ?? this.unpacked(row);
  }

  private async unpacked(row: TextRow): Promise<string> {
    const chain = [row];
    let bytes: Buffer | undefined;
    for (let lowest = row; lowest.base !== null; ) {
      const cached = this.cache.get(keyOf(lowest.workspaceId, lowest.base));
      if (cached !== undefined) {
        bytes = wtf8(cached);
        break;
      }
      const [under] = await this.rows(lowest.workspaceId, [lowest.base]);
      if (under === undefined) throw damaged(lowest.digest);
      chain.push(under);
      lowest = under;
    }
    for (const next of chain.reverse()) {
      bytes = await unpack(next.digest, next.packed, next.base === null ? undefined : bytes);
    }
    if (bytes === undefined) throw damaged(row.digest);
    const text = verifiedText(row.digest, bytes);
    this.cache.set(keyOf(row.workspaceId, row.digest), text);
    return text;
  }
}

const keyOf = (workspaceId: string, digest: string) => `${workspaceId}/${digest}`;
const byDigest = (rows: readonly TextRow[]) => new Map(rows.map((row) => [row.digest, row]));
