import { createHash, type Hash } from 'node:crypto';
import { type EndLine, type LogFileLine, logFormat, logLineText } from './log-line.js';

export class EventsDigest {
  private readonly hash: Hash = createHash('sha256');

  add(text: string): void {
    this.hash.update(text).update('\n');
  }

  hex(): string {
    return this.hash.copy().digest('hex');
  }
}

export class LogTally {
  private pruned = 0;
  private events = 0;
  private entries = 0;
  private blobs = 0;
  private texts: number | undefined;
  private readonly eventsDigest = new EventsDigest();
  private readonly hash = createHash('sha256');

  /** @param written the line as it is in the file, without the line feed */
  add(line: LogFileLine, written: string | Uint8Array): void {
    this.hash.update(written).update('\n');
    switch (line.line) {
      case 'pruned':
        this.pruned++;
        break;
      case 'event':
        this.events++;
        this.eventsDigest.add(logLineText(line));
        break;
      case 'entry':
        this.entries++;
        break;
      case 'blob':
        this.blobs++;
        break;
      case 'text':
        this.texts = (this.texts ?? 0) + 1;
        break;
      case 'header':
        this.texts = line.format === logFormat ? 0 : undefined;
        break;
      case 'end':
        break;
    }
  }

  endLine(): EndLine {
    const { pruned, events, entries, blobs, texts } = this;
    const counted = texts === undefined ? {} : { texts };
    const digests = { eventsDigest: this.eventsDigest.hex(), digest: this.hash.copy().digest('hex') };
    return { line: 'end', pruned, events, entries, blobs, ...counted, ...digests };
  }
}
