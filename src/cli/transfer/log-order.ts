import { parseStream } from '../../kernel/event/stream-name.js';
import { type BlobLine, type EntryLine, type LogFileLine, logFormat } from './log-line.js';
import { StreamLedger } from './stream-ledger.js';

const rank: Readonly<Record<LogFileLine['line'], number>> = {
  header: 0,
  pruned: 1,
  event: 2,
  entry: 3,
  blob: 4,
  text: 5,
  end: 6,
};

/**
 * Required order: the header, pruned streams, events without gaps in their streams, vault entries, blobs, texts, and
 * the last line.
 */
export class LogOrder {
  readonly streams = new StreamLedger();
  private workspaceId: string | null = null;
  private hasTexts = false;
  private last: LogFileLine['line'] | undefined;
  private lastName = '';

  /** Returns the reason why the line is wrong, phrased to follow `line 7`, or undefined if it is right. */
  check(line: LogFileLine): string | undefined {
    const isFirst = this.last === undefined;
    const before = rank[this.last ?? 'header'];
    if (isFirst !== (line.line === 'header') || rank[line.line] < before || before === rank.end) {
      return 'is out of order';
    }
    if (this.last !== line.line) this.lastName = '';
    this.last = line.line;
    switch (line.line) {
      case 'header':
        this.workspaceId = line.workspaceId;
        this.hasTexts = line.format === logFormat;
        return undefined;
      case 'pruned':
        if (!this.streams.begin(line.stream, line.keptFrom)) return `contains stream ${line.stream} again`;
        return this.ofWorkspace(line.stream);
      case 'event':
        if (!this.streams.count(line.stream, line.revision)) {
          return `has revision ${line.revision} of stream ${line.stream}, but ${this.streams.next(line.stream)} is next`;
        }
        return this.ofWorkspace(line.stream);
      case 'entry':
      case 'blob':
        return this.afterLast(line);
      case 'text':
        if (this.hasTexts) return this.isOther(line.workspaceId) ? `has a text of another workspace` : undefined;
        return 'is out of order';
      case 'end':
        return undefined;
    }
  }

  close(): void {
    this.streams.close();
  }

  private ofWorkspace(stream: string): string | undefined {
    return this.isOther(parseStream(stream).workspaceId) ? `has stream ${stream} of another workspace` : undefined;
  }

  private isOther(workspaceId: string): boolean {
    return this.workspaceId !== null && workspaceId !== this.workspaceId;
  }

  private afterLast({ line, name }: EntryLine | BlobLine): string | undefined {
    const follows = Buffer.compare(Buffer.from(name), Buffer.from(this.lastName)) > 0;
    this.lastName = name;
    return follows ? undefined : `has ${line === 'entry' ? `entry ${name} of the vault` : `blob ${name}`} out of order`;
  }
}
