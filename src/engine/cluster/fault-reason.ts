import { UnreadableEvent } from '../../kernel/event/unreadable-event.js';
import { Refusal } from '../../kernel/refusals/refusal.js';

/** Messages of these errors can contain identifiers or source positions, but never values. */
const harmless = [ReferenceError, TypeError, UnreadableEvent];
const longest = 300;

/**
 * Includes the message only if our code or the JavaScript engine wrote it, because messages of parsers and stores can
 * quote customer data.
 */
export function faultReason(error: unknown): string {
  if (error instanceof Refusal) return `refused with the code ${error.code}`;
  if (!(error instanceof Error)) return 'a value that is not an Error was thrown';
  const [top = ''] = linesOf(error);
  const isOwn = error.constructor === Error && sourcePosition(top) !== undefined;
  const isHarmless = isOwn || harmless.some((type) => error.constructor === type);
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const detail = isHarmless ? `: ${error.message.slice(0, longest)}` : code;
  const position = linesOf(error)
    .map(sourcePosition)
    .find((one) => one !== undefined);
  return `${error.name}${detail}${position === undefined ? '' : ` (${position})`}`;
}

const linesOf = ({ stack = '' }: Error): readonly string[] => stack.split('\n').filter((line) => /^\s+at /.test(line));

const sourcePosition = (line: string): string | undefined =>
  line.includes('node_modules') ? undefined : /((?:src|projections|test)\/[\w./-]+:\d+):\d+/.exec(line)?.[1];
