import { Injectable } from '@nestjs/common';
import { Blobs } from '../../../ports/blobs.port.js';
import { refuse } from '../sites.refusals.js';
import { partBytes } from './site-file.record.js';

interface WhichBytes {
  readonly workspaceId: string;
  readonly bytesId: string;
  /** In bytes. */
  readonly size: number;
}

const folderOf = ({ workspaceId, bytesId }: Omit<WhichBytes, 'size'>) => `site-file/${workspaceId}/${bytesId}`;

@Injectable()
export class FileBytes {
  constructor(private readonly blobs: Blobs) {}

  /**
   * Resolves when the bytes are durable.
   * @throws Refusal file-size-differs; BlobsUnavailable; any error of the source
   */
  async store(of: WhichBytes, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const room = Buffer.allocUnsafe(Math.min(partBytes, Math.max(of.size, 1)));
    let [buffered, stored] = [0, 0];
    const put = async () => {
      await this.blobs.put(partName(of, Math.floor(stored / partBytes)), room.subarray(0, buffered));
      stored += buffered;
      buffered = 0;
    };
    for await (const piece of source) {
      if (stored + buffered + piece.length > of.size) refuse('file-size-differs', { size: of.size });
      for (let from = 0; from < piece.length; ) {
        const taken = piece.subarray(from, from + room.length - buffered);
        room.set(taken, buffered);
        buffered += taken.length;
        from += taken.length;
        if (buffered === partBytes) await put();
      }
    }
    if (stored + buffered !== of.size) refuse('file-size-differs', { size: of.size });
    if (buffered > 0) await put();
  }

  /** `part` counts from 0. @throws Refusal site-file-not-found if the bytes have been destroyed; BlobsUnavailable */
  async part(of: Omit<WhichBytes, 'size'>, part: number): Promise<Uint8Array> {
    return (await this.blobs.open(partName(of, part))) ?? refuse('site-file-not-found');
  }

  /**
   * Idempotent.
   * @throws BlobsUnavailable
   */
  async destroy(of: Omit<WhichBytes, 'size'>): Promise<void> {
    await this.blobs.destroyAll(folderOf(of));
  }
}

const partName = (of: Omit<WhichBytes, 'size'>, part: number) => `${folderOf(of)}/${part}`;
