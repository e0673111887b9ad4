import type { FileLine, LinePosition } from './file-lines.js';
import { formatOf, logLineOf } from './line-shapes.js';
import {
  type EndLine,
  type HeaderLine,
  type LogFileLine,
  logFormat,
  logFormatWithoutTexts,
  logLineText,
  unguard,
} from './log-line.js';
import { LogOrder } from './log-order.js';
import { LogTally } from './log-tally.js';
import type { StreamLedger } from './stream-ledger.js';

interface VerifiedLog {
  readonly header: HeaderLine;
  readonly end: EndLine;
  readonly positions: ReadonlyMap<LogFileLine['line'], LinePosition>;
}

/** Throws at the first line that an export would not have written. */
export class LogVerifier {
  private readonly order = new LogOrder();
  private readonly tally = new LogTally();
  private readonly positions = new Map<LogFileLine['line'], LinePosition>();
  private header: HeaderLine | undefined;
  private end: EndLine | undefined;
  private lines = 0;

  constructor(private readonly path: string) {}

  get streams(): StreamLedger {
    return this.order.streams;
  }

  add({ bytes, number, offset, isWhole }: FileLine): void {
    if (number === 1) this.mustBeOurs(bytes);
    if (!isWhole) throw this.refusal(`it is truncated in line ${number}`);
    const text = unguard(bytes);
    if (text === undefined) throw this.refusal(`line ${number} was changed`);
    const line = logLineOf(text);
    if (line === undefined) throw this.refusal(`line ${number} is not a line of an export`);
    const wrong = this.order.check(line);
    if (wrong !== undefined) throw this.refusal(`line ${number} ${wrong}`);
    if (line.line === 'header') this.header = line;
    if (line.line === 'end') this.takeEnd(line, number);
    else this.tally.add(line, bytes);
    if (!this.positions.has(line.line)) this.positions.set(line.line, { offset, number });
    this.lines = number;
  }

  whole(): VerifiedLog {
    const { header, end, positions } = this;
    if (header === undefined) throw this.refusal('line 1 is missing: the file is empty');
    if (end === undefined) throw this.refusal(`it is truncated after line ${this.lines}`);
    return { header, end, positions };
  }

  private takeEnd(end: EndLine, number: number): void {
    if (logLineText(this.tally.endLine()) !== logLineText(end)) {
      throw this.refusal(`line ${number} does not match the lines before it: some were removed, added or moved`);
    }
    this.end = end;
  }

  private mustBeOurs(bytes: Buffer): void {
    const format = formatOf(bytes);
    if (format === undefined) throw this.refusal('line 1 is not the beginning of an exported log');
    if (format !== logFormat && format !== logFormatWithoutTexts) {
      throw this.refusal(`line 1 has the format ${format}; import the file with the version that exported it`);
    }
  }

  private refusal(why: string): Error {
    return new Error(`${this.path} cannot be imported: ${why}.`);
  }
}
