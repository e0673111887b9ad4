import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { sourceOf } from '../account-event/account-event.record.js';
import { builtinNames } from '../builtin/builtin.api.js';
import { builtinSources } from '../builtin/builtin-line.api.js';

const ownName = /^(custom|app)\.[a-z0-9][a-z0-9_.-]{0,79}$/;
const sources: readonly string[] = [...builtinSources, 'custom', 'app'];

/** Accepts the same patterns as `wrongEventPattern`. */
export const patternField = {
  type: 'string',
  maxLength: 100,
  schema: {
    anyOf: [{ enum: ['*', ...sources.map((source) => `${source}.*`), ...builtinNames] }, { pattern: ownName.source }],
  },
} as const;

/** Names of custom events and app events are not checked (settled questions Q-E15 and Q-E16). */
export function wrongEventPattern(event: string): readonly InvalidField[] {
  if (event === '*' || ownName.test(event) || builtinNames.has(event)) return [];
  const source = event.slice(0, Math.max(0, event.indexOf('.')));
  if (event === `${source}.*` && sources.includes(source)) return [];
  return [{ path: 'event', message: messageFor(source) }];
}

function messageFor(source: string): string {
  if (source === 'custom' || source === 'app') {
    return `must be ${source}.* or ${source}. and 1 to 80 of a-z, 0-9, dot, hyphen and underscore`;
  }
  const known = builtinSources.some((one) => one === source);
  if (known)
    return `is not an event of the source ${source}; builtins lists the events, and ${source}.* matches all of them`;
  return `must be a name that builtins lists, custom.<name>, app.<name>, * or one of ${sources.join(', ')} followed by .*`;
}

/** The patterns that match an event name. See the section "Event pattern" of the Account Events API. */
export const patternsOf = (name: string): readonly string[] => [name, `${sourceOf(name)}.*`, '*'];

export const isOfApps = (event: string): boolean => event.startsWith('app.');
