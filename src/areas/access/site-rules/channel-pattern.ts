import { mustBe } from '../../../kernel/text/must-be.js';

/** Stands for the id of whoever listens. */
export const self = '{self}';

const longest = 200;
const textOnly = /^[^\p{Cc}\p{Cs}\s]+$/u;

const segment = String.raw`[^\s\x00-\x1f\x7f-\x9f*{}:]*`;
/** As JSON Schema: what `wrongPattern` finds nothing wrong with. */
export const channelPattern = String.raw`^(?!.*\{self\}.*\{self\})(?:(?:${segment}|\{self\}):)*(?:${segment}\*?|\{self\})$`;

/** Why this cannot be the pattern of channel rules; undefined when it can. */
export function wrongPattern(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return mustBe('a text, such as news, chat:* or inbox:{self}', value);
  if (value.length > longest) return `must be at most ${longest} characters`;
  if (!textOnly.test(value)) return 'must be without spaces and control characters';
  const star = value.indexOf('*');
  if (star >= 0 && star < value.length - 1) return 'must have * at its end alone, where it stands for any rest';
  const named = value.split(':').filter((segment) => segment.includes('{') || segment.includes('}'));
  if (named.some((segment) => segment !== self)) return 'must have {self} alone between colons, such as inbox:{self}:*';
  return named.length > 1 ? 'must not have {self} twice' : undefined;
}

/**
 * How a channel fits a pattern. A pattern with {self} claims its whole shape: a channel that has the id of somebody else
 * there fits as `others`, so that no later rule and no default opens it.
 */
export function fits(pattern: string, channel: string, subscriberId: string | undefined): 'yes' | 'others' | 'no' {
  const isOpen = pattern.endsWith('*');
  const wanted = (isOpen ? pattern.slice(0, -1) : pattern).split(':');
  const given = channel.split(':');
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return 'no';
  let fit: 'yes' | 'others' = 'yes';
  for (const [at, segment] of wanted.entries()) {
    const own = given[at] ?? '';
    if (segment === self) {
      if (own !== subscriberId) fit = 'others';
    } else if (isOpen && at === wanted.length - 1) {
      if (!own.startsWith(segment)) return 'no';
    } else if (own !== segment) return 'no';
  }
  return fit;
}

/** The first that fits decides: by sortOrder, ties by pattern text (settled question Q-S66). */
export function byOrder<Rule extends { readonly pattern: string; readonly sortOrder: number }>(
  rules: readonly Rule[],
): readonly Rule[] {
  return [...rules].sort(
    (one, other) => one.sortOrder - other.sortOrder || (one.pattern < other.pattern ? -1 : Number(one !== other)),
  );
}
