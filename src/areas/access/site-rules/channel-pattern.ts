import { mustBe } from '../../../kernel/text/must-be.js';

/** Placeholder for the id of the user or guest who listens or publishes. */
export const self = '{self}';

const longest = 200;
const textOnly = /^[^\p{Cc}\p{Cs}\s]+$/u;

const segment = String.raw`[^\s\x00-\x1f\x7f-\x9f*{}:]*`;
/**
 * Accepts the same patterns as `wrongChannelPattern`, apart from the maximum length, which must be checked separately.
 */
export const channelPattern = String.raw`^(?!.*\{self\}.*\{self\})(?:(?:${segment}|\{self\}):)*(?:${segment}\*?|\{self\})$`;

export function wrongChannelPattern(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return mustBe('a text, such as news, chat:* or inbox:{self}', value);
  if (value.length > longest) return `must be at most ${longest} characters`;
  if (!textOnly.test(value)) return 'must not contain spaces or control characters';
  const star = value.indexOf('*');
  if (star >= 0 && star < value.length - 1) return 'may contain * only at its end, where it matches the rest of a name';
  const named = value.split(':').filter((segment) => segment.includes('{') || segment.includes('}'));
  if (named.some((segment) => segment !== self))
    return 'may contain {self} only as a whole segment between colons, such as inbox:{self}:*';
  return named.length > 1 ? 'must not contain {self} twice' : undefined;
}

/**
 * `others` means that the channel has another person's id in the position of {self}. Such a channel must be refused;
 * later rules and the default must not apply to it.
 */
export function fits(pattern: string, channel: string, subscriberId: string | undefined): 'yes' | 'others' | 'no' {
  const isOpen = pattern.endsWith('*');
  const segments = (isOpen ? pattern.slice(0, -1) : pattern).split(':');
  const given = channel.split(':');
  if (isOpen ? given.length < segments.length : given.length !== segments.length) return 'no';
  let fit: 'yes' | 'others' = 'yes';
  for (const [at, segment] of segments.entries()) {
    const own = given[at] ?? '';
    if (segment === self) {
      if (own !== subscriberId) fit = 'others';
    } else if (isOpen && at === segments.length - 1) {
      if (!own.startsWith(segment)) return 'no';
    } else if (own !== segment) return 'no';
  }
  return fit;
}

/** Whether a channel exists that both patterns match, be it with `yes` or with `others`. */
export function overlap(one: string, other: string): boolean {
  const [first, second] = [segmentsOf(one), segmentsOf(other)];
  const [shorter, longer] = first.length <= second.length ? [first, second] : [second, first];
  if (shorter.length < longer.length && !shorter.at(-1)?.isOpen) return false;
  return shorter.every((segment, at) => {
    const beside = longer[at];
    return beside !== undefined && (admits(segment, beside) || admits(beside, segment));
  });
}

interface Segment {
  readonly text: string;
  /** Whether any text may follow. */
  readonly isOpen: boolean;
}

function segmentsOf(pattern: string): readonly Segment[] {
  const segments = pattern.split(':');
  return segments.map((segment, at) => {
    const isOpen = at === segments.length - 1 && segment.endsWith('*');
    return { text: isOpen ? segment.slice(0, -1) : segment, isOpen };
  });
}

const admits = ({ text, isOpen }: Segment, beside: Segment) =>
  text === self || text === beside.text || (isOpen && beside.text.startsWith(text));

/** Sorted by sortOrder, then by pattern (Q-S66). */
export function byOrder<Rule extends { readonly pattern: string; readonly sortOrder: number }>(
  rules: readonly Rule[],
): readonly Rule[] {
  return [...rules].sort(
    (one, other) => one.sortOrder - other.sortOrder || (one.pattern < other.pattern ? -1 : Number(one !== other)),
  );
}
