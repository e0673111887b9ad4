import { Injectable } from '@nestjs/common';
import { type DiffLine, type DiffRow, lineDiff, withContext } from '../../../engine/approvals/line-diff.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { lineCountOf, referTo, sameText, type Text, textsAt } from '../../../kernel/text/text.js';
import type { ChangedLinesShape } from './audit-answers.api.js';

/** Limits of the comparison. They are lower than on cards, because a list shows many events. */
const longestSearchMs = 5;
const mostRows = 200;
/** Lengths in characters. Two short lines are shown side by side without a comparison. */
const shortLine = 200;
const longestLine = 2_000;
/** Size limit in bytes, before and after. Longer texts are not compared. */
const longestText = 256 * 1024;

/** The changed lines of code and other texts of records. */
@Injectable()
export class LinesOfChanges {
  constructor(private readonly texts: RecordTexts) {}

  /**
   * Returns an empty list for the event that began or ended the record.
   * @throws TextsUnavailable
   */
  async of(
    { texts: places = [] }: RecordAggregate<Document, DomainEvent>,
    before: Document | undefined,
    after: Document | undefined,
  ): Promise<readonly ChangedLinesShape[]> {
    if (before === undefined || after === undefined) return [];
    const pairs = places.flatMap((path) => {
      const [to] = textsAt([path], after);
      const from = textsAt([path], before)[0] ?? draftOrigin(path, places, before);
      return to === undefined || from === undefined || sameText(from, to) || isShown(from, to)
        ? []
        : [{ path, from, to }];
    });
    if (pairs.length === 0) return [];
    const read = await this.texts.read(
      after.workspaceId,
      pairs.flatMap(({ from, to }) => [from, to]),
    );
    return pairs.map(({ path, from, to }) => changed(path, read(from), read(to)));
  }
}

/** Returns the text that a new draft starts from: the record's own text of the same name. */
function draftOrigin(path: string, places: readonly string[], before: Document): Text | undefined {
  const name = path.split('.').at(-1);
  return name === undefined || !places.includes(name) ? undefined : textsAt([name], before)[0];
}

/** Two short lines need no comparison, and texts that are too long are not compared. */
function isShown(from: Text, to: Text): boolean {
  const isShort = (text: Text) => lineCountOf(text) <= 1 && text.length <= shortLine;
  const bytes = (text: Text) => (typeof text === 'string' ? referTo(text) : text).bytes;
  return (isShort(from) && isShort(to)) || bytes(from) > longestText || bytes(to) > longestText;
}

function changed(path: string, from: string, to: string): ChangedLinesShape {
  const lines = lineDiff(from, to, longestSearchMs);
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  const rows = withContext(lines);
  const left = rows.length - mostRows;
  return {
    path,
    added: count('added'),
    removed: count('removed'),
    rows: rows.slice(0, mostRows).map(cut),
    ...(left > 0 ? { rowsLeftOut: left } : {}),
  };
}

const cut = (row: DiffRow): DiffRow =>
  row.kind === 'left-out' || row.text.length <= longestLine
    ? row
    : { ...row, text: `${row.text.slice(0, longestLine)}…` };
