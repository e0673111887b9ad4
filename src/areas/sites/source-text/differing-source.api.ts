import { differing, type Sent } from '../../../kernel/record/differing.js';
import { sameText, type Text } from '../../../kernel/text/text.js';

/** The sent fields that differ from a source's current ones; undefined if none does. A new content is a string. */
export function differingSource<Facts extends { readonly content: Text }>(
  now: Facts,
  { content, ...others }: Sent<Facts>,
): Partial<Facts> | undefined {
  const isNew = content !== undefined && !sameText(content, now.content);
  const changed = differing<Partial<Facts>>(now, others as Sent<Facts>);
  return isNew ? ({ ...changed, content } as Partial<Facts>) : changed;
}
