import { type FileHandle, open } from 'node:fs/promises';
import { fileBeginning, type LinePosition, linesFrom } from './file-lines.js';
import { logLineOf } from './line-shapes.js';
import { type EndLine, type HeaderLine, type LineOf, type LogFileLine, unguard } from './log-line.js';
import { LogVerifier } from './log-verifier.js';
import type { StreamLedger } from './stream-ledger.js';

type Section = 'pruned' | 'event' | 'entry' | 'blob' | 'text';

/** A file that was completely verified. Its content can be read repeatedly. */
export class LogFile {
  private constructor(
    private readonly file: FileHandle,
    readonly header: HeaderLine,
    readonly end: EndLine,
    private readonly positions: ReadonlyMap<LogFileLine['line'], LinePosition>,
    readonly streams: StreamLedger,
  ) {}

  /** @throws Error if the file is missing, or at its first wrong line, which the message names */
  static async open(path: string): Promise<LogFile> {
    const file = await opened(path);
    const verifier = new LogVerifier(path);
    try {
      for await (const line of linesFrom(file, fileBeginning)) verifier.add(line);
      const { header, end, positions } = verifier.whole();
      return new LogFile(file, header, end, positions, verifier.streams);
    } catch (error) {
      verifier.streams.close();
      await file.close();
      throw error;
    }
  }

  pruned(): AsyncIterable<LineOf<'pruned'>> {
    return this.section('pruned');
  }

  events(): AsyncIterable<LineOf<'event'>> {
    return this.section('event');
  }

  entries(): AsyncIterable<LineOf<'entry'>> {
    return this.section('entry');
  }

  blobs(): AsyncIterable<LineOf<'blob'>> {
    return this.section('blob');
  }

  texts(): AsyncIterable<LineOf<'text'>> {
    return this.section('text');
  }

  async close(): Promise<void> {
    this.streams.close();
    await this.file.close();
  }

  private async *section<Kind extends Section>(kind: Kind): AsyncGenerator<LineOf<Kind>> {
    const place = this.positions.get(kind);
    if (place === undefined) return;
    for await (const { bytes, number } of linesFrom(this.file, place)) {
      const text = unguard(bytes);
      const line = text === undefined ? undefined : logLineOf(text);
      if (line === undefined) throw new Error(`Line ${number} of the file was changed during the import.`);
      if (line.line !== kind) return;
      yield line as LineOf<Kind>;
    }
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`There is no file ${path}.`);
    throw error;
  }
}
