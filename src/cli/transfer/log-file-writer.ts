import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type EndLine, guard, type LogFileLine, logLineText } from './log-line.js';
import { LogOrder } from './log-order.js';
import { LogTally } from './log-tally.js';

const flushAtCharacters = 1 << 20;

/** The file has a temporary name until it is completely on disk, so an incomplete file never has the final name. */
export class LogFileWriter {
  private readonly order = new LogOrder();
  private readonly tally = new LogTally();
  private waiting: string[] = [];
  private characters = 0;

  private constructor(
    private readonly path: string,
    private readonly temporary: string,
    private readonly file: FileHandle,
  ) {}

  /** @throws Error if the file already exists */
  static async create(path: string): Promise<LogFileWriter> {
    mustBeFree(path);
    const temporary = `${path}.${randomBytes(4).toString('hex')}.partial`;
    return new LogFileWriter(path, temporary, await open(temporary, 'wx', 0o600));
  }

  /** @throws Error if the line may not follow the previous ones, because the file could then not be imported */
  async write(line: LogFileLine): Promise<void> {
    const wrong = this.order.check(line);
    if (wrong !== undefined) throw new Error(`The log changed during the export (the next line ${wrong}): try again.`);
    const written = guard(logLineText(line));
    this.tally.add(line, written);
    this.waiting.push(`${written}\n`);
    this.characters += written.length;
    if (this.characters >= flushAtCharacters) await this.flush();
  }

  /**
   * Resolves when the file is durable under its final name.
   * @throws Error if a file with the final name has been created since
   */
  async finish(): Promise<EndLine> {
    const end = this.tally.endLine();
    await this.write(end);
    await this.flush();
    await this.file.sync();
    await this.file.close();
    mustBeFree(this.path);
    await rename(this.temporary, this.path);
    await syncDirectory(dirname(this.path));
    this.order.close();
    return end;
  }

  async abandon(): Promise<void> {
    await this.file.close();
    await rm(this.temporary, { force: true });
    this.order.close();
  }

  private async flush(): Promise<void> {
    const text = this.waiting.join('');
    this.waiting = [];
    this.characters = 0;
    await this.file.writeFile(text);
  }
}

function mustBeFree(path: string): void {
  if (existsSync(path)) throw new Error(`${path} already exists; pass a new file.`);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
