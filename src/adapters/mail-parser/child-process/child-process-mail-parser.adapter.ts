import {
  MailParser,
  type MailToParse,
  MailUnparsable,
  type ParsedMail,
} from '../../../ports/offloaded/mail-parser.port.js';
import { FairQueue, type Queued } from '../../turns/fair-queue.js';
import type { asks, ParseAnswer } from './parse-protocol.js';
import { type ParseEnd, type ParseLimits, ParserProcess } from './parser-process.js';

/**
 * Maximum number of child processes. Each workspace uses at most one of them, so slow mails of one workspace do not
 * delay those of others.
 */
const mostProcesses = 2;
/** Mails per process. Replacing the process frees memory that the parser has leaked. */
const mailsEach = 500;
const idleMs = 60_000;

const defaults: ParseLimits = { timeMs: 10_000, memoryBytes: 512 * 1024 * 1024 };

interface Waiting extends Queued {
  readonly kind: keyof typeof asks;
  readonly mail: MailToParse;
  readonly index: number;
  readonly again: boolean;
  resolve(answer: ParseAnswer): void;
  reject(error: unknown): void;
}

interface PooledParser {
  readonly process: ParserProcess;
  busy: boolean;
  served: number;
  idle: NodeJS.Timeout | undefined;
}

export class ChildProcessMailParser extends MailParser {
  private readonly queue = new FairQueue<Waiting>();
  private readonly processes = new Set<PooledParser>();
  private readonly served = new Set<string>();
  private closed = false;

  constructor(private readonly limits: ParseLimits = defaults) {
    super();
  }

  override async parse(mail: MailToParse): Promise<ParsedMail> {
    const answer = await this.enqueue('parse', mail, 0);
    if (answer.t !== 'mail') throw misfit(answer);
    return answer.mail;
  }

  override async attachment(mail: MailToParse, index: number): Promise<Uint8Array | undefined> {
    const answer = await this.enqueue('attachment', mail, index);
    if (answer.t !== 'attachment') throw misfit(answer);
    return answer.base64 === null ? undefined : Buffer.from(answer.base64, 'base64');
  }

  override async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.queue.clear()) reject(stopping());
    for (const parser of this.processes) this.drop(parser);
  }

  private async enqueue(kind: Waiting['kind'], mail: MailToParse, index: number): Promise<ParseAnswer> {
    if (this.closed) throw stopping();
    return new Promise((resolve, reject) => {
      this.queue.add({ workspace: mail.workspaceId, depth: 0, kind, mail, index, again: false, resolve, reject });
      this.dispatch();
    });
  }

  private dispatch(): void {
    for (;;) {
      const next = this.queue.find(({ workspace }) => !this.served.has(workspace));
      const parser = next && this.free();
      if (!next || !parser) return;
      this.queue.remove(next);
      void this.serve(next, parser);
    }
  }

  private free(): PooledParser | undefined {
    for (const parser of this.processes) if (parser.process.over) this.drop(parser);
    const idle = [...this.processes].find(({ busy }) => !busy);
    if (idle !== undefined || this.processes.size >= mostProcesses) return idle;
    const parser: PooledParser = { process: new ParserProcess(this.limits), busy: false, served: 0, idle: undefined };
    this.processes.add(parser);
    return parser;
  }

  private async serve(waiting: Waiting, parser: PooledParser): Promise<void> {
    const { kind, mail, index, workspace, again, resolve, reject } = waiting;
    parser.busy = true;
    clearTimeout(parser.idle);
    this.served.add(workspace);
    try {
      const end = await parser.process.request(kind, mail.raw, index);
      if (this.closed) throw stopping();
      if (end === 'gone' && !again) return this.retry(waiting, parser);
      resolve(answered(end, this.limits));
    } catch (error) {
      reject(error);
    }
    this.served.delete(workspace);
    this.release(parser);
  }

  /**
   * Parses the mail once more, because the process can have ended for another reason. If the mail is the cause, it
   * fails again.
   */
  private retry(waiting: Waiting, parser: PooledParser): void {
    this.served.delete(waiting.workspace);
    this.queue.add({ ...waiting, again: true });
    this.release(parser);
  }

  private release(parser: PooledParser): void {
    parser.busy = false;
    parser.served += 1;
    if (parser.process.over || parser.served >= mailsEach) this.drop(parser);
    else parser.idle = setTimeout(() => this.drop(parser), idleMs).unref();
    this.dispatch();
  }

  private drop(parser: PooledParser): void {
    clearTimeout(parser.idle);
    this.processes.delete(parser);
    parser.process.kill();
  }
}

function answered(end: ParseEnd, { timeMs, memoryBytes }: ParseLimits): ParseAnswer {
  if (end === 'late') return unparsable(`Parsing it took more than ${timeMs / 1_000} seconds.`);
  if (end === 'large')
    return unparsable(`Parsing it took more than ${Math.round(memoryBytes / 1024 / 1024)} MB of memory.`);
  if (end === 'gone') return unparsable('Its parts or addresses are nested too deeply to be parsed.');
  return end;
}

const unparsable = (why: string): ParseAnswer => ({ t: 'unparsable', why });

function misfit(answer: ParseAnswer): Error {
  if (answer.t === 'unparsable') return new MailUnparsable(`The mail could not be parsed: ${answer.why}`);
  return new Error('The mail parser process sent an unexpected response.');
}

const stopping = () => new Error('Mails are no longer parsed: the service is stopping.');
