import type { Json } from '../kernel/json/json.js';
import type { LogLine } from '../ports/offloaded/sandbox.port.js';

/** The texts in these frames are JSON that the child passes into the isolate without parsing it. */
export type ToChild =
  | {
      readonly t: 'run';
      readonly run: number;
      readonly isolate: number;
      readonly program: number;
      readonly source?: string;
      readonly evict: readonly number[];
      readonly params: string;
      readonly context: string;
      readonly names: readonly string[];
      readonly captureLogs: boolean;
      readonly timeoutMs: number;
    }
  | { readonly t: 'answer'; readonly run: number; readonly id: number; readonly ok: boolean; readonly text: string }
  | { readonly t: 'wake'; readonly run: number };

/** Not trusted; must be read with `readFromChild`. */
export type FromChild =
  | { readonly t: 'ready' }
  | ({ readonly t: 'log'; readonly run: number } & LogLine)
  | {
      readonly t: 'call';
      readonly run: number;
      readonly id: number;
      readonly name: string;
      readonly args: readonly Json[];
    }
  /**
   * The run has nothing to compute until a response arrives or, if `wakeInMs` is given, until this many milliseconds
   * have passed. `heard` is the number of frames that the child has received since the start of the run. If the parent
   * has sent more frames, the run is not idle for long: it goes on when they arrive.
   */
  | { readonly t: 'parked'; readonly run: number; readonly heard: number; readonly wakeInMs: number | null }
  | { readonly t: 'done'; readonly run: number; readonly ok: true; readonly result: Json }
  | {
      readonly t: 'done';
      readonly run: number;
      readonly ok: false;
      readonly reason: FailReason;
      readonly error: string;
    };

export type RunFrame = Exclude<FromChild, { readonly t: 'ready' }>;

export type FailReason = 'threw' | 'timeout' | 'memory' | 'result';

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error'];
const REASONS: readonly unknown[] = ['threw', 'timeout', 'memory', 'result'];

/** Returns undefined for anything that an intact child would not send. */
export function readFromChild(text: string): FromChild | undefined {
  let frame: Record<string, unknown>;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof frame !== 'object' || frame === null) return undefined;
  if (frame['t'] === 'ready') return { t: 'ready' };
  return Number.isSafeInteger(frame['run']) && isSound(frame) ? (frame as unknown as FromChild) : undefined;
}

function isSound(frame: Record<string, unknown>): boolean {
  switch (frame['t']) {
    case 'log':
      return LEVELS.includes(frame['level']) && typeof frame['text'] === 'string' && isTime(frame['at']);
    case 'call':
      return Number.isSafeInteger(frame['id']) && typeof frame['name'] === 'string' && Array.isArray(frame['args']);
    case 'parked':
      if (!Number.isSafeInteger(frame['heard'])) return false;
      return frame['wakeInMs'] === null || Number.isFinite(frame['wakeInMs']);
    case 'done':
      if (frame['ok'] === true) return frame['result'] !== undefined;
      return frame['ok'] === false && REASONS.includes(frame['reason']) && typeof frame['error'] === 'string';
    default:
      return false;
  }
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
}
