import { mustBe } from '../../../kernel/text/must-be.js';

/** Placeholder for the listener's id. */
export const self = '{self}';

const longest = 200;
const textOnly = /^[^\p{Cc}\p{Cs}\s]+$/u;

const segment = String.raw`[^\s\x00-\x1f\x7f-\x9f*{}:]*`;
/** Regular expression for JSON Schema. It accepts what `wrongPattern` accepts. */
export const channelPattern = String.raw`^(?!.*\{self\}.*\{self\})(?:(?:${segment}|\{self\}):)*(?:${segment}\*?|\{self\})$`;

/** Returns why the value cannot be a pattern of channel rules, or undefined if it can. */
export function wrongChannelPattern(value: unknown): string | undefined {
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
 * Tells how a channel matches a pattern. A pattern with {self} covers every channel of its shape: a channel with
 * another person's id matches as `others`, so no later rule and no default opens it.
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

/** The order in which patterns are tried: by sortOrder, then by pattern text (Q-S66). */
export function byOrder<Rule extends { readonly pattern: string; readonly sortOrder: number }>(
  rules: readonly Rule[],
): readonly Rule[] {
  return [...rules].sort(
    (one, other) => one.sortOrder - other.sortOrder || (one.pattern < other.pattern ? -1 : Number(one !== other)),
  );
}
