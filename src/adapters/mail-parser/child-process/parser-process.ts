import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { INPUT_FD, OUTPUT_FD } from '../../../sandbox/descriptors.js';
import { FrameCutter } from '../../../sandbox/frames.js';
import { residentBytes } from '../../processes/resident-memory.js';
import { asks, headBytes, largestAnswer, type ParseAnswer, parseAnswerOf } from './parse-protocol.js';
import { spawnParser } from './spawn-parser.js';

export interface ParseLimits {
  /** Time limit for one mail, without the wait in the queue. */
  readonly timeMs: number;
  readonly memoryBytes: number;
}

export type ParseEnd = ParseAnswer | 'late' | 'large' | 'gone';

const startWithinMs = 15_000;
const lookEveryMs = 20;

export class ParserProcess {
  over = false;
  private receive: (frame: ParseEnd) => void = () => {};
  private readonly child: ChildProcess = spawnParser();
  private readonly ready: Promise<ParseEnd>;

  constructor(private readonly limits: ParseLimits) {
    const cutter = new FrameCutter(largestAnswer);
    this.child.on('error', () => this.ended());
    this.child.on('close', () => this.ended());
    // If the system cannot start a process, Node leaves `stdio` undefined, although the type excludes that.
    const pipes = this.child.stdio as typeof this.child.stdio | undefined;
    const output = pipes?.[OUTPUT_FD] as Socket | undefined;
    if (output === undefined) this.over = true;
    output?.on('data', (chunk: Buffer) => {
      if (!cutter.push(chunk, (text) => this.receive(parseAnswerOf(text) ?? 'gone'))) this.kill();
    });
    output?.on('error', () => this.kill());
    pipes?.[INPUT_FD]?.on('error', () => this.kill());
    this.ready = this.next(startWithinMs, Number.POSITIVE_INFINITY);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async request(kind: keyof typeof asks, raw: Uint8Array, index = 0): Promise<ParseEnd> {
    const ready = await this.ready;
    if (typeof ready === 'string' || ready.t !== 'ready') {
      this.kill();
      throw new Error('The mail parser process could not be started.');
    }
    const head = Buffer.alloc(headBytes);
    head.writeUInt32BE(raw.length, 0);
    head.writeUInt8(asks[kind], 4);
    head.writeUInt16BE(index, 5);
    const input = this.child.stdio[INPUT_FD] as Socket;
    input.write(head);
    input.write(raw);
    return this.next(this.limits.timeMs, this.limits.memoryBytes);
  }

  kill(): void {
    this.over = true;
    this.child.kill('SIGKILL');
  }

  private ended(): void {
    this.over = true;
    this.receive('gone');
  }

  private next(withinMs: number, most: number): Promise<ParseEnd> {
    return new Promise((resolve) => {
      const end = (frame: ParseEnd) => {
        clearTimeout(late);
        clearInterval(watch);
        this.receive = () => {};
        if (typeof frame === 'string') this.kill();
        resolve(frame);
      };
      const late = setTimeout(() => end('late'), withinMs);
      const watch = setInterval(() => {
        const bytes = this.child.pid === undefined ? undefined : residentBytes(this.child.pid);
        if (bytes !== undefined && bytes > most) end('large');
      }, lookEveryMs);
      this.receive = end;
      if (this.over) end('gone');
    });
  }
}
