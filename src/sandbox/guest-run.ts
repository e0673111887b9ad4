import ivm from 'isolated-vm';
import { answerHelper } from './guest-helpers.js';
import type { GuestIsolate } from './guest-isolate.js';
import { LIMITS } from './limits.js';
import { sendText } from './pipes.js';
import type { FailReason, ToChild } from './protocol.js';
import { RunLogSender } from './run-log.js';

type Start = Extract<ToChild, { t: 'run' }>;
type Settled =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: FailReason; readonly error: string };

const GUEST_LIMITS = JSON.stringify(LIMITS);
const TOO_LARGE = 'The function returned more than 1 MB; return less.';

/**
 * The guest computes synchronously until nothing is left to do, and only then does the parent receive the result. A run
 * whose result has arrived is therefore no longer computing.
 */
export class GuestRun {
  private readonly context: ivm.Context;
  private readonly log: RunLogSender;
  private readonly timers = new Map<number, number>();
  private readonly began = performance.now();
  private resume: ivm.Reference | undefined;
  private heard = 0;
  private settled: Settled | undefined;

  constructor(
    private readonly isolate: GuestIsolate,
    private readonly frame: Start,
  ) {
    this.log = new RunLogSender(frame.run);
    this.context = isolate.createContext();
  }

  start(): boolean {
    return this.compute(() => {
      const { params, context, names, captureLogs } = this.frame;
      const host = new ivm.Callback((...message: readonly unknown[]) => this.hear(...message));
      const begin = this.isolate.prelude(this.context);
      const given = [GUEST_LIMITS, host, params, context, JSON.stringify(names), captureLogs];
      this.resume = begin.applySync(undefined, given, { ...this.orphanGuard(), result: { reference: true } });
      begin.release();
      // The context is prepared before any code of the author is evaluated.
      const program = this.isolate.program(this.context, this.frame.program);
      this.resume?.applySync(undefined, ['program', program.derefInto()], this.orphanGuard());
      program.release();
    });
  }

  answer(id: number, ok: boolean, text: string): boolean {
    this.heard += 1;
    return this.compute(() => this.resume?.applySync(undefined, ['answer', id, ok, text], this.orphanGuard()));
  }

  wake(): boolean {
    this.heard += 1;
    return this.compute(() => {
      const now = performance.now();
      const due = [...this.timers].filter(([, at]) => at <= now).sort(([, a], [, b]) => a - b);
      for (const [id] of due) {
        if (this.settled || !this.timers.delete(id)) continue;
        this.resume?.applySync(undefined, ['timer', id], this.orphanGuard());
      }
    });
  }

  release(): void {
    this.resume?.release();
    this.context.release();
  }

  private compute(step: () => void): boolean {
    try {
      step();
    } catch (error) {
      this.settled ??= this.isolate.failure(error);
    }
    if (!this.settled) this.park();
    else this.sendDone(this.settled);
    return this.settled !== undefined;
  }

  /** A timeout in case the parent is gone. Normally the parent kills the child earlier, at the deadline. */
  private orphanGuard(): { timeout: number } {
    return { timeout: this.frame.timeoutMs + 2_000 };
  }

  private park(): void {
    const { run } = this.frame;
    const next = this.timers.size > 0 ? Math.max(0, Math.min(...this.timers.values()) - performance.now()) : null;
    sendText(JSON.stringify({ t: 'parked', run, heard: this.heard, wakeInMs: next }));
  }

  private sendDone(settled: Settled): void {
    const { run } = this.frame;
    // The result is JSON text and is inserted as it is. The parent verifies it by parsing the whole frame.
    if (settled.ok) sendText(`{"t":"done","run":${run},"ok":true,"result":${settled.text}}`);
    else sendText(JSON.stringify({ t: 'done', run, ...settled, error: oneLine(settled.error) }));
  }

  /**
   * Handles a request from inside the isolate. Does not trust its arguments, never throws, and returns only plain
   * values.
   */
  private hear(...message: readonly unknown[]): unknown {
    const [kind, first, second, third] = message;
    try {
      switch (kind) {
        case 'log':
          return this.log.write(`${first}`, `${second}`);
        case 'call':
          return this.call(Number(first), `${second}`, `${third}`);
        case 'timer':
          if (this.timers.size < LIMITS.timers) this.timers.set(Number(first), performance.now() + Number(second));
          return true;
        case 'no timer':
          return this.timers.delete(Number(first));
        case 'now':
          // Rounded to 0.1 ms, which is as coarse as in browsers that run several pages in one process.
          return Math.floor((performance.now() - this.began) * 10) / 10;
        case 'time origin':
          return Math.floor((performance.timeOrigin + this.began) * 10) / 10;
        case 'settle':
          this.settled ??= settle(`${first}`, `${second}`);
          return true;
        default:
          return answerHelper(kind, first, second, third);
      }
    } catch {
      return undefined;
    }
  }

  private call(id: number, name: string, text: string): boolean {
    if (this.settled) return true;
    if (Buffer.byteLength(text) > LIMITS.callArguments) return false;
    const head = JSON.stringify({ t: 'call', run: this.frame.run, id, name });
    sendText(`${head.slice(0, -1)},"args":${text}}`);
    return true;
  }
}

function settle(kind: string, text: string): Settled {
  switch (kind) {
    case 'ok':
      if (Buffer.byteLength(text) > LIMITS.result) return { ok: false, reason: 'result', error: TOO_LARGE };
      return { ok: true, text };
    case 'large':
      return { ok: false, reason: 'result', error: TOO_LARGE };
    case 'unserialisable':
      return { ok: false, reason: 'result', error: whyUnserialisable(text) };
    default:
      return { ok: false, reason: 'threw', error: text };
  }
}

function whyUnserialisable(text: string): string {
  const what = text.includes('BigInt')
    ? 'a BigInt'
    : text.includes('circular')
      ? 'a circular structure'
      : oneLine(text);
  return `The function returned something that cannot be JSON (${what}); return plain data.`;
}

export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through.
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').slice(0, LIMITS.error);
}
