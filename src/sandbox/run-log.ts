import type { LogLine } from '../ports/offloaded/sandbox.port.js';
import { LIMITS, LOG_DROPPED } from './limits.js';
import { sendText } from './pipes.js';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Each line is sent at once, so that it survives a crash of the child. */
export class RunLogSender {
  private left: number = LIMITS.log;

  constructor(private readonly run: number) {}

  write(level: string, text: string): boolean {
    if (this.left <= 0) return false;
    const line = cutBytes(text, LIMITS.logLine);
    this.left -= Buffer.byteLength(line) + LIMITS.logLineCost;
    if (this.left > 0) this.send(LEVELS.find((known) => known === level) ?? 'info', line);
    else this.send('warn', LOG_DROPPED);
    return this.left > 0;
  }

  private send(level: LogLine['level'], text: string): void {
    sendText(JSON.stringify({ t: 'log', run: this.run, at: new Date().toISOString(), level, text }));
  }
}

function cutBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text;
  const bytes = Buffer.from(text);
  // A character that was cut in half decodes to U+FFFD at the end, which is removed.
  return bytes.length <= max
    ? text
    : bytes
        .subarray(0, max - 3)
        .toString()
        .replace(/\ufffd$/, '')
        .concat('…');
}
