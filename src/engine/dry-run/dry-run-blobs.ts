import { type Blobs, mustBeBlobName } from '../../ports/blobs.port.js';

interface Older {
  readonly before?: number;
}

/** Blobs that the dry run writes are held in memory and hide the stored ones. */
export class DryRunBlobs {
  private readonly own = new Map<string, Uint8Array | undefined>();

  constructor(private readonly blobs: Blobs) {}

  async put(name: string, value: Uint8Array): Promise<void> {
    mustBeBlobName(name);
    this.own.set(name, Uint8Array.from(value));
  }

  async open(name: string): Promise<Uint8Array | undefined> {
    return this.own.has(name) ? this.own.get(name) : this.blobs.open(name);
  }

  async destroy(name: string, { before }: Older = {}): Promise<void> {
    mustBeBlobName(name);
    // Blobs that the dry run wrote are newer than any `before`, so they remain.
    if (before !== undefined && this.own.get(name) !== undefined) return;
    const folder = name.slice(0, name.lastIndexOf('/'));
    const isOlder = before === undefined || (await this.blobs.names(folder, { before })).includes(name);
    if (isOlder) this.own.set(name, undefined);
  }

  async names(folder: string, options: Older = {}): Promise<readonly string[]> {
    const real = (await this.blobs.names(folder, options)).filter((name) => !this.own.has(name));
    if (options.before !== undefined) return real;
    const put = [...this.own].filter(([name, value]) => value !== undefined && name.startsWith(`${folder}/`));
    return [...real, ...put.map(([name]) => name)];
  }

  async destroyAll(folder: string, options: Older = {}): Promise<void> {
    for (const name of await this.names(folder, options)) this.own.set(name, undefined);
  }
}
