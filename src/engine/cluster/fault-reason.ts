import { UnreadableEvent } from '../../kernel/event/unreadable-event.js';
import { Refusal } from '../../kernel/refusals/refusal.js';

/** Errors whose messages name code or places, and never values. */
const harmless = [ReferenceError, TypeError, UnreadableEvent];
const longest = 300;

/**
 * What an operator is told of an error that stopped an event, and what is kept of it: the kind of error and the place in
 * our code. Its message only where we or the language wrote it: those of parsers and stores quote data of customers.
 */
export function faultReason(error: unknown): string {
  if (error instanceof Refusal) return `refused with the code ${error.code}`;
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const [top = ''] = linesOf(error);
  const isOwn = error.constructor === Error && placeIn(top) !== undefined;
  const isHarmless = isOwn || harmless.some((type) => error.constructor === type);
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const said = isHarmless ? `: ${error.message.slice(0, longest)}` : code;
  const place = linesOf(error)
    .map(placeIn)
    .find((one) => one !== undefined);
  return `${error.name}${said}${place === undefined ? '' : ` (${place})`}`;
}

const linesOf = ({ stack = '' }: Error): readonly string[] => stack.split('\n').filter((line) => /^\s+at /.test(line));

/** `src/sagas/replace-older-cards.saga.js:24` of a line of a stack; undefined for those of Node and of packages. */
const placeIn = (line: string): string | undefined =>
  line.includes('node_modules') ? undefined : /((?:src|projections|test)\/[\w./-]+:\d+):\d+/.exec(line)?.[1];
